#map0 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> (0)>
#map5 = affine_map<() -> (8)>
#map6 = affine_map<(d0, d1, d2) -> (d2, d1)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<8x4xf32>, %arg1: memref<8x4xf32>, %arg2: memref<8x4xf32>, %arg3: memref<8x4xf32>):
    %0 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %1 = "memref.alloc"() {operand_segment_sizes = dense<0> : vector<2xi32>} : () -> memref<8x8xf32>
    "linalg.fill"(%0, %1) ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (f32, memref<8x8xf32>) -> ()
    "linalg.generic"(%arg0, %arg1, %1) ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %2 = "arith.mulf"(%arg4, %arg5) : (f32, f32) -> f32
      %3 = "arith.addf"(%arg6, %2) : (f32, f32) -> f32
      "linalg.yield"(%3) : (f32) -> ()
    }) {indexing_maps = [#map0, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (memref<8x4xf32>, memref<8x4xf32>, memref<8x8xf32>) -> ()
    "affine.for"() ({
    ^bb0(%arg4: index):
      %2 = "affine.for"(%0) ({
      ^bb0(%arg5: index, %arg6: f32):
        %3 = "affine.load"(%1, %arg4, %arg5) {map = #map3} : (memref<8x8xf32>, index, index) -> f32
        %4 = "math.exp"(%3) : (f32) -> f32
        "affine.store"(%4, %1, %arg4, %arg5) {map = #map3} : (f32, memref<8x8xf32>, index, index) -> ()
        %5 = "arith.addf"(%arg6, %4) : (f32, f32) -> f32
        "affine.yield"(%5) : (f32) -> ()
      }) {lower_bound = #map4, step = 1 : index, upper_bound = #map5} : (f32) -> f32
      "affine.for"() ({
      ^bb0(%arg5: index):
        %3 = "affine.load"(%1, %arg4, %arg5) {map = #map3} : (memref<8x8xf32>, index, index) -> f32
        %4 = "arith.divf"(%3, %2) : (f32, f32) -> f32
        "affine.store"(%4, %1, %arg4, %arg5) {map = #map3} : (f32, memref<8x8xf32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) {lower_bound = #map4, step = 1 : index, upper_bound = #map5} : () -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = #map4, step = 1 : index, upper_bound = #map5} : () -> ()
    "linalg.fill"(%0, %arg3) ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (f32, memref<8x4xf32>) -> ()
    "linalg.matmul"(%1, %arg2, %arg3) ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %2 = "arith.mulf"(%arg4, %arg5) : (f32, f32) -> f32
      %3 = "arith.addf"(%arg6, %2) : (f32, f32) -> f32
      "linalg.yield"(%3) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map0, #map6, #map2], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (memref<8x8xf32>, memref<8x4xf32>, memref<8x4xf32>) -> ()
    "memref.dealloc"(%1) : (memref<8x8xf32>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) -> ()} : () -> ()
}) : () -> ()

