#map0 = affine_map<(d0) -> (d0)>
#map1 = affine_map<() -> (0)>
#map2 = affine_map<()[s0] -> (s0)>
#map3 = affine_map<() -> (1)>
#map4 = affine_map<() -> (2)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?xf64>, %arg1: memref<3xf64>):
    %0 = "arith.constant"() {value = 0.000000e+00 : f64} : () -> f64
    %1 = "arith.constant"() {value = 0 : index} : () -> index
    %2 = "memref.dim"(%arg0, %1) : (memref<?xf64>, index) -> index
    %3:3 = "affine.for"(%2, %0, %0, %0) ({
    ^bb0(%arg2: index, %arg3: f64, %arg4: f64, %arg5: f64):
      %4 = "affine.load"(%arg0, %arg2) {map = #map0} : (memref<?xf64>, index) -> f64
      %5 = "arith.addf"(%arg3, %4) : (f64, f64) -> f64
      %6 = "arith.mulf"(%4, %4) : (f64, f64) -> f64
      %7 = "arith.addf"(%arg4, %6) : (f64, f64) -> f64
      "affine.yield"(%5, %7, %arg3) : (f64, f64, f64) -> ()
    }) {lower_bound = #map1, step = 1 : index, upper_bound = #map2} : (index, f64, f64, f64) -> (f64, f64, f64)
    "affine.store"(%3#0, %arg1) {map = #map1} : (f64, memref<3xf64>) -> ()
    "affine.store"(%3#1, %arg1) {map = #map3} : (f64, memref<3xf64>) -> ()
    "affine.store"(%3#2, %arg1) {map = #map4} : (f64, memref<3xf64>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?xf64>, memref<3xf64>) -> ()} : () -> ()
}) : () -> ()

