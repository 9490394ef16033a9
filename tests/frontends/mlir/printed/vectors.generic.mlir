#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1, d0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8x13xf64>, memref<13xf64>, memref<8xf64>, memref<13xf64>, memref<f64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>):
    "linalg.matvec"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: f64, %arg12: f64, %arg13: f64):
      %4 = "arith.mulf"(%arg11, %arg12) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      %5 = "arith.addf"(%arg13, %4) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%5) : (f64) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (memref<8x13xf64>, memref<13xf64>, memref<8xf64>) -> ()
    "linalg.vecmat"(%arg2, %arg0, %arg3) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f64, %arg9: f64, %arg10: f64):
      %2 = "arith.mulf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      %3 = "arith.addf"(%arg10, %2) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%3) : (f64) -> ()
    }) {linalg.memoized_indexing_maps = [#map1, #map3, #map2]} : (memref<8xf64>, memref<8x13xf64>, memref<13xf64>) -> ()
    "linalg.dot"(%arg1, %arg3, %arg4) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg5: f64, %arg6: f64, %arg7: f64):
      %0 = "arith.mulf"(%arg5, %arg6) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      %1 = "arith.addf"(%arg7, %0) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%1) : (f64) -> ()
    }) {linalg.memoized_indexing_maps = [#map4, #map4, #map5]} : (memref<13xf64>, memref<13xf64>, memref<f64>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

