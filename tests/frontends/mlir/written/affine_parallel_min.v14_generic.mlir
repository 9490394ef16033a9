#map0 = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?xf32>, %arg1: index):
    %0 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    "affine.parallel"(%arg1) ({
    ^bb0(%arg2: index):
      "affine.parallel"(%arg2, %arg2, %arg1) ({
      ^bb0(%arg3: index):
        "affine.store"(%0, %arg0, %arg3) {map = #map0} : (f32, memref<?xf32>, index) -> ()
        "affine.yield"() : () -> ()
      }) {lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = #map0, reductions = [], steps = [1], upperBoundsGroups = dense<2> : tensor<1xi32>, upperBoundsMap = #map1} : (index, index, index) -> ()
      "affine.yield"() : () -> ()
    }) {lowerBoundsGroups = dense<1> : tensor<1xi32>, lowerBoundsMap = #map2, reductions = [], steps = [4], upperBoundsGroups = dense<1> : tensor<1xi32>, upperBoundsMap = #map3} : (index) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?xf32>, index) -> ()} : () -> ()
}) : () -> ()

