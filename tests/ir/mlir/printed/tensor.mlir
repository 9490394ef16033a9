#sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x4xf32>, tensor<*xf64>, tensor<8x8xf64, #sparse>, index) -> tensor<?x4xf32>, sym_name = "tensors"}> ({
  ^bb0(%arg0: tensor<?x4xf32>, %arg1: tensor<*xf64>, %arg2: tensor<8x8xf64, #sparse>, %arg3: index):
    %20 = "arith.constant"() <{value = 0 : index}> : () -> index
    %21 = "tensor.dim"(%arg0, %20) : (tensor<?x4xf32>, index) -> index
    %22 = "tensor.extract_slice"(%arg0, %arg3) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (tensor<?x4xf32>, index) -> tensor<2x4xf32>
    %23 = "tensor.insert_slice"(%22, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
    %24 = "tensor.pad"(%22, %arg3) <{operandSegmentSizes = array<i32: 1, 0, 1>, static_high = array<i64: 0, -9223372036854775808>, static_low = array<i64: 1, 0>}> ({
    ^bb0(%arg5: index, %arg6: index):
      %30 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
      "tensor.yield"(%30) : (f32) -> ()
    }) : (tensor<2x4xf32>, index) -> tensor<3x?xf32>
    %25 = "tensor.generate"(%arg3) ({
    ^bb0(%arg4: index):
      %29 = "arith.index_cast"(%arg4) : (index) -> i32
      "tensor.yield"(%29) : (i32) -> ()
    }) : (index) -> tensor<?xi32>
    %26 = "tensor.from_elements"(%arg3, %20) : (index, index) -> tensor<2xindex>
    %27 = "tensor.cast"(%arg0) : (tensor<?x4xf32>) -> tensor<8x4xf32>
    %28 = "tensor.empty"(%arg3) : (index) -> tensor<?x2xbf16>
    "func.return"(%23) : (tensor<?x4xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "constants"}> ({
    %0 = "arith.constant"() <{value = dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32>
    %1 = "arith.constant"() <{value = dense<[true, false, true]> : tensor<3xi1>}> : () -> tensor<3xi1>
    %2 = "arith.constant"() <{value = dense<true> : tensor<8xi1>}> : () -> tensor<8xi1>
    %3 = "arith.constant"() <{value = dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,-4.500000e+00)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>>
    %4 = "arith.constant"() <{value = dense<(1,2)> : tensor<4xcomplex<i8>>}> : () -> tensor<4xcomplex<i8>>
    %5 = "arith.constant"() <{value = dense<[[513, 1027], [1541, 2055]]> : tensor<2x2xi16>}> : () -> tensor<2x2xi16>
    %6 = "arith.constant"() <{value = dense<[0x7FC00000, 1.000000e+00, 0xFF800000]> : tensor<3xf32>}> : () -> tensor<3xf32>
    %7 = "arith.constant"() <{value = dense<> : tensor<0x4xf32>}> : () -> tensor<0x4xf32>
    %8 = "arith.constant"() <{value = dense<7> : tensor<i8>}> : () -> tensor<i8>
    %9 = "arith.constant"() <{value = sparse<[[0, 1], [2, 3]], [1.000000e+00, 2.000000e+00]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32>
    %10 = "arith.constant"() <{value = sparse<3, 5> : tensor<8xi32>}> : () -> tensor<8xi32>
    %11 = "arith.constant"() <{value = dense<1> : tensor<3xi4>}> : () -> tensor<3xi4>
    %12 = "arith.constant"() <{value = dense<[-1, 7, -8]> : tensor<3xi4>}> : () -> tensor<3xi4>
    %13 = "arith.constant"() <{value = dense<[-1, 1]> : tensor<2xi64>}> : () -> tensor<2xi64>
    %14 = "arith.constant"() <{value = dense<[1.015630e-01, 2.031250e-01]> : tensor<2xf8E4M3FN>}> : () -> tensor<2xf8E4M3FN>
    %15 = "arith.constant"() <{value = dense_resource<weights> : tensor<4xf32>}> : () -> tensor<4xf32>
    %16 = "arith.constant"() <{value = dense<[0, 1, 2]> : tensor<3xindex>}> : () -> tensor<3xindex>
    %17 = "arith.constant"() <{value = dense<[[[1.500000e+00]], [[2.500000e+00]]]> : tensor<2x1x1xf64>}> : () -> tensor<2x1x1xf64>
    %18 = "arith.constant"() <{value = sparse<> : tensor<4xf32>}> : () -> tensor<4xf32>
    %19 = "arith.constant"() <{value = dense<[1, -1]> : tensor<2xi128>}> : () -> tensor<2xi128>
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

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

