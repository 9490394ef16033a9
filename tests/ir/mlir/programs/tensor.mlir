// Tensors: ranked, unranked, encoded; constants of every kind.
#csr = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
func.func @tensors(%T: tensor<?x4xf32>, %u: tensor<*xf64>, %e: tensor<8x8xf64, #csr>, %n: index) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %T, %c0 : tensor<?x4xf32>
  %s = tensor.extract_slice %T[%n, 0] [2, 4] [1, 1] : tensor<?x4xf32> to tensor<2x4xf32>
  %i = tensor.insert_slice %s into %T[0, 0] [2, 4] [1, 1] : tensor<2x4xf32> into tensor<?x4xf32>
  %pad = tensor.pad %s low[1, 0] high[0, %n] {
    ^bb0(%a: index, %b: index):
      %z = arith.constant 0.0 : f32
      tensor.yield %z : f32
  } : tensor<2x4xf32> to tensor<3x?xf32>
  %g = tensor.generate %n {
    ^bb0(%k: index):
      %v = arith.index_cast %k : index to i32
      tensor.yield %v : i32
  } : tensor<?xi32>
  %x = tensor.from_elements %n, %c0 : tensor<2xindex>
  %r = tensor.cast %T : tensor<?x4xf32> to tensor<8x4xf32>
  %em = tensor.empty(%n) : tensor<?x2xbf16>
  return %i : tensor<?x4xf32>
}

func.func @constants() {
  %0 = arith.constant dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>
  %1 = arith.constant dense<[true, false, true]> : tensor<3xi1>
  %2 = arith.constant dense<true> : tensor<8xi1>
  %3 = arith.constant dense<[(1.0, 2.0), (3.0, -4.5)]> : tensor<2xcomplex<f32>>
  %4 = arith.constant dense<(1, 2)> : tensor<4xcomplex<i8>>
  %5 = arith.constant dense<"0x0102030405060708"> : tensor<2x2xi16>
  %6 = arith.constant dense<[0x7FC00000, 1.0, 0xFF800000]> : tensor<3xf32>
  %7 = arith.constant dense<> : tensor<0x4xf32>
  %8 = arith.constant dense<7> : tensor<i8>
  %9 = arith.constant sparse<[[0, 1], [2, 3]], [1.0, 2.0]> : tensor<4x4xf32>
  %10 = arith.constant sparse<3, 5> : tensor<8xi32>
  %11 = arith.constant dense<[1, 1, 1]> : tensor<3xi4>
  %12 = arith.constant dense<[-1, 7, -8]> : tensor<3xi4>
  %13 = arith.constant dense<[18446744073709551615, 1]> : tensor<2xi64>
  %14 = arith.constant dense<[0.1, 0.2]> : tensor<2xf8E4M3FN>
  %15 = arith.constant dense_resource<weights> : tensor<4xf32>
  %16 = arith.constant dense<[0, 1, 2]> : tensor<3xindex>
  %17 = arith.constant dense<[[[1.5]], [[2.5]]]> : tensor<2x1x1xf64>
  %18 = arith.constant sparse<> : tensor<4xf32>
  %19 = arith.constant dense<[1, 340282366920938463463374607431768211455]> : tensor<2xi128>
  return
}

{-#
  dialect_resources: {
    builtin: {
      weights: "0x040000000000803F000000400000404000008040"
    }
  },
  external_resources: {
    some_tool: {
      pipeline: "builtin.module(canonicalize)",
      verify: true
    }
  }
#-}
