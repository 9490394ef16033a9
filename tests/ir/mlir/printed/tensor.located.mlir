#loc2 = loc("<stdin>":3:20)
#loc3 = loc("<stdin>":3:41)
#loc4 = loc("<stdin>":3:60)
#loc5 = loc("<stdin>":3:87)
#loc11 = loc("<stdin>":9:10)
#loc12 = loc("<stdin>":9:21)
#loc16 = loc("<stdin>":14:10)
#sparse = #sparse_tensor.encoding<{ map = (d0, d1) -> (d0 : dense, d1 : compressed) }>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x4xf32>, tensor<*xf64>, tensor<8x8xf64, #sparse>, index) -> tensor<?x4xf32>, sym_name = "tensors"}> ({
  ^bb0(%arg0: tensor<?x4xf32> loc("<stdin>":3:20), %arg1: tensor<*xf64> loc("<stdin>":3:41), %arg2: tensor<8x8xf64, #sparse> loc("<stdin>":3:60), %arg3: index loc("<stdin>":3:87)):
    %20 = "arith.constant"() <{value = 0 : index}> : () -> index loc(#loc6)
    %21 = "tensor.dim"(%arg0, %20) : (tensor<?x4xf32>, index) -> index loc(#loc7)
    %22 = "tensor.extract_slice"(%arg0, %arg3) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (tensor<?x4xf32>, index) -> tensor<2x4xf32> loc(#loc8)
    %23 = "tensor.insert_slice"(%22, %arg0) <{operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>, static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 4>, static_strides = array<i64: 1, 1>}> : (tensor<2x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32> loc(#loc9)
    %24 = "tensor.pad"(%22, %arg3) <{operandSegmentSizes = array<i32: 1, 0, 1>, static_high = array<i64: 0, -9223372036854775808>, static_low = array<i64: 1, 0>}> ({
    ^bb0(%arg5: index loc("<stdin>":9:10), %arg6: index loc("<stdin>":9:21)):
      %30 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32 loc(#loc13)
      "tensor.yield"(%30) : (f32) -> () loc(#loc14)
    }) : (tensor<2x4xf32>, index) -> tensor<3x?xf32> loc(#loc10)
    %25 = "tensor.generate"(%arg3) ({
    ^bb0(%arg4: index loc("<stdin>":14:10)):
      %29 = "arith.index_cast"(%arg4) : (index) -> i32 loc(#loc17)
      "tensor.yield"(%29) : (i32) -> () loc(#loc18)
    }) : (index) -> tensor<?xi32> loc(#loc15)
    %26 = "tensor.from_elements"(%arg3, %20) : (index, index) -> tensor<2xindex> loc(#loc19)
    %27 = "tensor.cast"(%arg0) : (tensor<?x4xf32>) -> tensor<8x4xf32> loc(#loc20)
    %28 = "tensor.empty"(%arg3) : (index) -> tensor<?x2xbf16> loc(#loc21)
    "func.return"(%23) : (tensor<?x4xf32>) -> () loc(#loc22)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = () -> (), sym_name = "constants"}> ({
    %0 = "arith.constant"() <{value = dense<[[1, -2], [3, 4]]> : tensor<2x2xi32>}> : () -> tensor<2x2xi32> loc(#loc24)
    %1 = "arith.constant"() <{value = dense<[true, false, true]> : tensor<3xi1>}> : () -> tensor<3xi1> loc(#loc25)
    %2 = "arith.constant"() <{value = dense<true> : tensor<8xi1>}> : () -> tensor<8xi1> loc(#loc26)
    %3 = "arith.constant"() <{value = dense<[(1.000000e+00,2.000000e+00), (3.000000e+00,-4.500000e+00)]> : tensor<2xcomplex<f32>>}> : () -> tensor<2xcomplex<f32>> loc(#loc27)
    %4 = "arith.constant"() <{value = dense<(1,2)> : tensor<4xcomplex<i8>>}> : () -> tensor<4xcomplex<i8>> loc(#loc28)
    %5 = "arith.constant"() <{value = dense<[[513, 1027], [1541, 2055]]> : tensor<2x2xi16>}> : () -> tensor<2x2xi16> loc(#loc29)
    %6 = "arith.constant"() <{value = dense<[0x7FC00000, 1.000000e+00, 0xFF800000]> : tensor<3xf32>}> : () -> tensor<3xf32> loc(#loc30)
    %7 = "arith.constant"() <{value = dense<> : tensor<0x4xf32>}> : () -> tensor<0x4xf32> loc(#loc31)
    %8 = "arith.constant"() <{value = dense<7> : tensor<i8>}> : () -> tensor<i8> loc(#loc32)
    %9 = "arith.constant"() <{value = sparse<[[0, 1], [2, 3]], [1.000000e+00, 2.000000e+00]> : tensor<4x4xf32>}> : () -> tensor<4x4xf32> loc(#loc33)
    %10 = "arith.constant"() <{value = sparse<3, 5> : tensor<8xi32>}> : () -> tensor<8xi32> loc(#loc34)
    %11 = "arith.constant"() <{value = dense<1> : tensor<3xi4>}> : () -> tensor<3xi4> loc(#loc35)
    %12 = "arith.constant"() <{value = dense<[-1, 7, -8]> : tensor<3xi4>}> : () -> tensor<3xi4> loc(#loc36)
    %13 = "arith.constant"() <{value = dense<[-1, 1]> : tensor<2xi64>}> : () -> tensor<2xi64> loc(#loc37)
    %14 = "arith.constant"() <{value = dense<[1.015630e-01, 2.031250e-01]> : tensor<2xf8E4M3FN>}> : () -> tensor<2xf8E4M3FN> loc(#loc38)
    %15 = "arith.constant"() <{value = dense_resource<weights> : tensor<4xf32>}> : () -> tensor<4xf32> loc(#loc39)
    %16 = "arith.constant"() <{value = dense<[0, 1, 2]> : tensor<3xindex>}> : () -> tensor<3xindex> loc(#loc40)
    %17 = "arith.constant"() <{value = dense<[[[1.500000e+00]], [[2.500000e+00]]]> : tensor<2x1x1xf64>}> : () -> tensor<2x1x1xf64> loc(#loc41)
    %18 = "arith.constant"() <{value = sparse<> : tensor<4xf32>}> : () -> tensor<4xf32> loc(#loc42)
    %19 = "arith.constant"() <{value = dense<[1, -1]> : tensor<2xi128>}> : () -> tensor<2xi128> loc(#loc43)
    "func.return"() : () -> () loc(#loc44)
  }) : () -> () loc(#loc23)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":3:1)
#loc6 = loc("<stdin>":4:9)
#loc7 = loc("<stdin>":5:8)
#loc8 = loc("<stdin>":6:8)
#loc9 = loc("<stdin>":7:8)
#loc10 = loc("<stdin>":8:10)
#loc13 = loc("<stdin>":10:12)
#loc14 = loc("<stdin>":11:7)
#loc15 = loc("<stdin>":13:8)
#loc17 = loc("<stdin>":15:12)
#loc18 = loc("<stdin>":16:7)
#loc19 = loc("<stdin>":18:8)
#loc20 = loc("<stdin>":19:8)
#loc21 = loc("<stdin>":20:9)
#loc22 = loc("<stdin>":21:3)
#loc23 = loc("<stdin>":24:1)
#loc24 = loc("<stdin>":25:8)
#loc25 = loc("<stdin>":26:8)
#loc26 = loc("<stdin>":27:8)
#loc27 = loc("<stdin>":28:8)
#loc28 = loc("<stdin>":29:8)
#loc29 = loc("<stdin>":30:8)
#loc30 = loc("<stdin>":31:8)
#loc31 = loc("<stdin>":32:8)
#loc32 = loc("<stdin>":33:8)
#loc33 = loc("<stdin>":34:8)
#loc34 = loc("<stdin>":35:9)
#loc35 = loc("<stdin>":36:9)
#loc36 = loc("<stdin>":37:9)
#loc37 = loc("<stdin>":38:9)
#loc38 = loc("<stdin>":39:9)
#loc39 = loc("<stdin>":40:9)
#loc40 = loc("<stdin>":41:9)
#loc41 = loc("<stdin>":42:9)
#loc42 = loc("<stdin>":43:9)
#loc43 = loc("<stdin>":44:9)
#loc44 = loc("<stdin>":45:3)

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

