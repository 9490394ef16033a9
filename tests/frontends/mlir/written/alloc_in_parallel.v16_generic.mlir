#map = affine_map<(d0)[s0] -> (-d0 + s0 - 1)>
#map1 = affine_map<() -> (0)>
#map2 = affine_map<()[s0] -> (s0)>
#map3 = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<?x?xi32>, %arg1: memref<?x?xi32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = 1 : index} : () -> index
    %2 = "memref.dim"(%arg0, %0) : (memref<?x?xi32>, index) -> index
    %3 = "memref.dim"(%arg0, %1) : (memref<?x?xi32>, index) -> index
    "scf.parallel"(%0, %2, %1) ({
    ^bb0(%arg2: index):
      %4 = "memref.alloca"(%3) {operand_segment_sizes = array<i32: 1, 0>} : (index) -> memref<?xi32>
      "affine.for"(%3) ({
      ^bb0(%arg3: index):
        %5 = "memref.load"(%arg0, %arg2, %arg3) : (memref<?x?xi32>, index, index) -> i32
        "affine.store"(%5, %4, %arg3, %3) {map = #map} : (i32, memref<?xi32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map1, step = 1 : index, upper_bound = #map2} : (index) -> ()
      "affine.for"(%3) ({
      ^bb0(%arg3: index):
        %5 = "affine.load"(%4, %arg3) {map = #map3} : (memref<?xi32>, index) -> i32
        "memref.store"(%5, %arg1, %arg2, %arg3) : (i32, memref<?x?xi32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map1, step = 1 : index, upper_bound = #map2} : (index) -> ()
      "scf.yield"() : () -> ()
    }) {operand_segment_sizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x?xi32>, memref<?x?xi32>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

