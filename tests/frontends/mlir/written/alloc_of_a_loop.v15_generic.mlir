#map0 = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0 - d1 - 1)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "memref.dim"(%arg0, %0) : (memref<?x?xf32>, index) -> index
    "affine.for"(%1) ({
    ^bb0(%arg2: index):
      %2 = "memref.alloc"(%arg2) {operand_segment_sizes = dense<[1, 0]> : vector<2xi32>} : (index) -> memref<?xf32>
      "affine.for"(%arg2) ({
      ^bb0(%arg3: index):
        %3 = "affine.load"(%arg0, %arg2, %arg3) {map = #map0} : (memref<?x?xf32>, index, index) -> f32
        "affine.store"(%3, %2, %arg2, %arg3) {map = #map1} : (f32, memref<?xf32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map2, step = 1 : index, upper_bound = #map3} : (index) -> ()
      "affine.for"(%arg2) ({
      ^bb0(%arg3: index):
        %3 = "affine.load"(%2, %arg3) {map = #map3} : (memref<?xf32>, index) -> f32
        %4 = "affine.load"(%arg1, %arg3) {map = #map3} : (memref<?xf32>, index) -> f32
        %5 = "arith.addf"(%3, %4) : (f32, f32) -> f32
        "affine.store"(%5, %arg1, %arg3) {map = #map3} : (f32, memref<?xf32>, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map2, step = 1 : index, upper_bound = #map3} : (index) -> ()
      "memref.dealloc"(%2) : (memref<?xf32>) -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = #map2, step = 1 : index, upper_bound = #map4} : (index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x?xf32>, memref<?xf32>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

