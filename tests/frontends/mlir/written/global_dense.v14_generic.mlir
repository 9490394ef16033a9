#map0 = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0) -> (d0)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (3)>
#map4 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "memref.global"() {constant, initial_value = dense<[2.500000e-01, 5.000000e-01, 2.500000e-01]> : tensor<3xf32>, sym_name = "taps", sym_visibility = "private", type = memref<3xf32>} : () -> ()
  "memref.global"() {initial_value = dense<7> : tensor<4xi32>, sym_name = "acc", sym_visibility = "private", type = memref<4xi32>} : () -> ()
  "builtin.func"() ({
  ^bb0(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: memref<4xi32>):
    %0 = "memref.get_global"() {name = @taps} : () -> memref<3xf32>
    %1 = "memref.get_global"() {name = @acc} : () -> memref<4xi32>
    %2 = "arith.constant"() {value = 0 : index} : () -> index
    %3 = "memref.dim"(%arg1, %2) : (memref<?xf32>, index) -> index
    "affine.for"(%3) ({
    ^bb0(%arg3: index):
      "affine.for"() ({
      ^bb0(%arg4: index):
        %4 = "affine.load"(%arg0, %arg3, %arg4) {map = #map0} : (memref<?xf32>, index, index) -> f32
        %5 = "affine.load"(%0, %arg4) {map = #map1} : (memref<3xf32>, index) -> f32
        %6 = "arith.mulf"(%4, %5) : (f32, f32) -> f32
        %7 = "affine.load"(%arg1, %arg3) {map = #map1} : (memref<?xf32>, index) -> f32
        %8 = "arith.addf"(%7, %6) : (f32, f32) -> f32
        "affine.store"(%8, %arg1, %arg3) {map = #map1} : (f32, memref<?xf32>, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map2, step = 1 : index, upper_bound = #map3} : () -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = #map2, step = 1 : index, upper_bound = #map4} : (index) -> ()
    "memref.copy"(%1, %arg2) : (memref<4xi32>, memref<4xi32>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?xf32>, memref<?xf32>, memref<4xi32>) -> ()} : () -> ()
}) : () -> ()

