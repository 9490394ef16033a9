#map0 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?xf32>, %arg3: memref<?x?xf32>, %arg4: memref<?x?xf32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = 1 : index} : () -> index
    %2 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %3 = "memref.dim"(%arg0, %0) : (memref<?x?xf32>, index) -> index
    %4 = "memref.dim"(%arg1, %1) : (memref<?x?xf32>, index) -> index
    %5 = "memref.alloc"(%3, %4) {alignment = 64 : i64, operand_segment_sizes = dense<[2, 0]> : vector<2xi32>} : (index, index) -> memref<?x?xf32>
    "linalg.fill"(%2, %5) ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (f32, memref<?x?xf32>) -> ()
    "linalg.matmul"(%arg0, %arg1, %5) ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
      %6 = "arith.mulf"(%arg5, %arg6) : (f32, f32) -> f32
      %7 = "arith.addf"(%arg7, %6) : (f32, f32) -> f32
      "linalg.yield"(%7) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map0, #map1, #map2], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
    "linalg.generic"(%arg2, %5) ({
    ^bb0(%arg5: f32, %arg6: f32):
      %6 = "arith.addf"(%arg6, %arg5) : (f32, f32) -> f32
      %7 = "arith.maxf"(%6, %2) : (f32, f32) -> f32
      "linalg.yield"(%7) : (f32) -> ()
    }) {indexing_maps = [#map3, #map4], iterator_types = ["parallel", "parallel"], operand_segment_sizes = dense<1> : vector<2xi32>} : (memref<?xf32>, memref<?x?xf32>) -> ()
    "linalg.fill"(%2, %arg4) ({
    ^bb0(%arg5: f32, %arg6: f32):
      "linalg.yield"(%arg5) : (f32) -> ()
    }) : (f32, memref<?x?xf32>) -> ()
    "linalg.matmul"(%5, %arg3, %arg4) ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
      %6 = "arith.mulf"(%arg5, %arg6) : (f32, f32) -> f32
      %7 = "arith.addf"(%arg7, %6) : (f32, f32) -> f32
      "linalg.yield"(%7) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map0, #map1, #map2], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
    "memref.dealloc"(%5) : (memref<?x?xf32>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?x?xf32>, memref<?x?xf32>, memref<?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> ()} : () -> ()
}) : () -> ()

