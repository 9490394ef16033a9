#map0 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> (0)>
#map5 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = 1 : index} : () -> index
    %2 = "memref.dim"(%arg0, %0) : (memref<?x?xf32>, index) -> index
    %3 = "memref.dim"(%arg1, %1) : (memref<?x?xf32>, index) -> index
    %4 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %5 = "memref.alloc"(%2, %3) {operand_segment_sizes = dense<[2, 0]> : vector<2xi32>} : (index, index) -> memref<?x?xf32>
    "linalg.fill"(%4, %5) ({
    ^bb0(%arg3: f32, %arg4: f32):
      "linalg.yield"(%arg3) : (f32) -> ()
    }) : (f32, memref<?x?xf32>) -> ()
    "linalg.matmul"(%arg0, %arg1, %5) ({
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
      %6 = "arith.mulf"(%arg3, %arg4) : (f32, f32) -> f32
      %7 = "arith.addf"(%arg5, %6) : (f32, f32) -> f32
      "linalg.yield"(%7) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map0, #map1, #map2], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
    "affine.for"(%2) ({
    ^bb0(%arg3: index):
      "affine.for"(%3) ({
      ^bb0(%arg4: index):
        %6 = "affine.load"(%5, %arg3, %arg4) {map = #map3} : (memref<?x?xf32>, index, index) -> f32
        %7 = "math.tanh"(%6) : (f32) -> f32
        "affine.store"(%7, %arg2, %arg3, %arg4) {map = #map3} : (f32, memref<?x?xf32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map4, step = 1 : index, upper_bound = #map5} : (index) -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = #map4, step = 1 : index, upper_bound = #map5} : (index) -> ()
    "memref.dealloc"(%5) : (memref<?x?xf32>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()} : () -> ()
}) : () -> ()

