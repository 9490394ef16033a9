#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (f32, memref<?x?xf32>, memref<?x?xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: f32, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>):
    %0 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %1 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    "linalg.generic"(%arg0, %arg1, %arg2) <{indexing_maps = [#map, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
      %4 = "arith.mulf"(%arg4, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %5 = "arith.mulf"(%4, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %6 = "math.fma"(%3, %5, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
      %7 = "arith.mulf"(%2, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %8 = "math.tanh"(%7) <{fastmath = #arith.fastmath<contract>}> : (f32) -> f32
      %9 = "arith.addf"(%1, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %10 = "arith.mulf"(%0, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %11 = "arith.mulf"(%10, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %12 = "arith.mulf"(%arg3, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%12) : (f32) -> ()
    }) : (f32, memref<?x?xf32>, memref<?x?xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

