#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<5x6xf32>, tensor<8x6xf32>, tensor<8xf32>, tensor<3x8xf32>) -> tensor<5x3xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<5x6xf32>, %arg1: tensor<8x6xf32>, %arg2: tensor<8xf32>, %arg3: tensor<3x8xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "tensor.empty"() : () -> tensor<6x8xf32>
    %2 = "linalg.transpose"(%arg1, %1) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg21: f32, %arg22: f32):
      "linalg.yield"(%arg21) : (f32) -> ()
    }) : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>
    %3 = "tensor.empty"() : () -> tensor<5x8xf32>
    %4 = "linalg.broadcast"(%arg2, %3) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg19: f32, %arg20: f32):
      "linalg.yield"(%arg19) : (f32) -> ()
    }) : (tensor<8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
    %5 = "linalg.matmul"(%arg0, %2, %4) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32, %arg18: f32):
      %16 = "arith.mulf"(%arg16, %arg17) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %17 = "arith.addf"(%arg18, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%17) : (f32) -> ()
    }) : (tensor<5x6xf32>, tensor<6x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
    %6 = "linalg.fill"(%0, %3) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg14: f32, %arg15: f32):
      "linalg.yield"(%arg14) : (f32) -> ()
    }) : (f32, tensor<5x8xf32>) -> tensor<5x8xf32>
    %7 = "linalg.max"(%5, %6, %3) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: f32, %arg12: f32, %arg13: f32):
      %15 = "arith.maximumf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%15) : (f32) -> ()
    }) : (tensor<5x8xf32>, tensor<5x8xf32>, tensor<5x8xf32>) -> tensor<5x8xf32>
    %8 = "tensor.empty"() : () -> tensor<8x3xf32>
    %9 = "linalg.transpose"(%arg3, %8) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (tensor<3x8xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
    %10 = "tensor.empty"() : () -> tensor<5x3xf32>
    %11 = "linalg.fill"(%0, %10) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, tensor<5x3xf32>) -> tensor<5x3xf32>
    %12 = "linalg.matmul"(%7, %9, %11) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %13 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %14 = "arith.addf"(%arg6, %13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%14) : (f32) -> ()
    }) : (tensor<5x8xf32>, tensor<8x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    "func.return"(%12) : (tensor<5x3xf32>) -> ()
  }) : () -> ()
}) : () -> ()
