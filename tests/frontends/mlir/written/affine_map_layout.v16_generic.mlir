#map = affine_map<(d0, d1) -> (d0 * 10 + d1 + 3)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (7)>
#map4 = affine_map<() -> (5)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<5x7xf32, #map>, %arg1: memref<5x7xf32>):
    "affine.for"() ({
    ^bb0(%arg2: index):
      "affine.for"() ({
      ^bb0(%arg3: index):
        %0 = "affine.load"(%arg0, %arg2, %arg3) {map = #map1} : (memref<5x7xf32, #map>, index, index) -> f32
        "affine.store"(%0, %arg1, %arg2, %arg3) {map = #map1} : (f32, memref<5x7xf32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map2, step = 1 : index, upper_bound = #map3} : () -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = #map2, step = 1 : index, upper_bound = #map4} : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<5x7xf32, #map>, memref<5x7xf32>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

