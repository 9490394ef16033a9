#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>, tensor<2x3x6x4xf32>) -> tensor<2x3x5x4xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<2x3x5x4xf32>, %arg1: tensor<2x3x6x4xf32>, %arg2: tensor<2x3x6x4xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 0xFF800000 : f32}> : () -> f32
    %2 = "tensor.empty"() : () -> tensor<2x3x5x6xf32>
    %3 = "linalg.fill"(%0, %2) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      "linalg.yield"(%arg27) : (f32) -> ()
    }) : (f32, tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %4 = "linalg.contract"(%arg0, %arg1, %3) <{indexing_maps = [#map, #map1, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %23 = "arith.mulf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %24 = "arith.addf"(%arg26, %23) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%24) : (f32) -> ()
    }) : (tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %5 = "tensor.empty"() : () -> tensor<2x3x5xf32>
    %6 = "linalg.fill"(%1, %5) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32):
      "linalg.yield"(%arg22) : (f32) -> ()
    }) : (f32, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    %7 = "linalg.reduce"(%4, %6) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      %22 = "arith.maximumf"(%arg21, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%22) : (f32) -> ()
    }) : (tensor<2x3x5x6xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    %8 = "linalg.elementwise"(%4, %7, %2) <{indexing_maps = [#map3, #map4, #map3], kind = #linalg.elementwise_kind<sub>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %21 = "arith.subf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%21) : (f32) -> ()
    }) : (tensor<2x3x5x6xf32>, tensor<2x3x5xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %9 = "linalg.elementwise"(%8, %2) <{indexing_maps = [#map3, #map3], kind = #linalg.elementwise_kind<exp>, operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg15: f32, %arg16: f32):
      %20 = "math.exp"(%arg15) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%20) : (f32) -> ()
    }) : (tensor<2x3x5x6xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %10 = "linalg.fill"(%0, %5) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32):
      "linalg.yield"(%arg13) : (f32) -> ()
    }) : (f32, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    %11 = "linalg.reduce"(%9, %10) <{dimensions = array<i64: 3>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      %19 = "arith.addf"(%arg12, %arg11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%19) : (f32) -> ()
    }) : (tensor<2x3x5x6xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    %12 = "linalg.elementwise"(%9, %11, %2) <{indexing_maps = [#map3, #map4, #map3], kind = #linalg.elementwise_kind<div>, operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32, %arg10: f32):
      %18 = "arith.divf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%18) : (f32) -> ()
    }) : (tensor<2x3x5x6xf32>, tensor<2x3x5xf32>, tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %13 = "tensor.empty"() : () -> tensor<2x3x5x4xf32>
    %14 = "linalg.fill"(%0, %13) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      "linalg.yield"(%arg6) : (f32) -> ()
    }) : (f32, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %15 = "linalg.contract"(%12, %arg2, %14) <{indexing_maps = [#map, #map5, #map2], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
      %16 = "arith.mulf"(%arg3, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %17 = "arith.addf"(%arg5, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%17) : (f32) -> ()
    }) : (tensor<2x3x5x6xf32>, tensor<2x3x6x4xf32>, tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    "func.return"(%15) : (tensor<2x3x5x4xf32>) -> ()
  }) : () -> ()
}) : () -> ()
