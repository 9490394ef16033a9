#map0 = affine_map<(d0, d1) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1, d0)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?xf32>, %arg1: memref<?xf32>, %arg2: memref<f32>, %arg3: memref<?x?xf32>, %arg4: memref<?x?xf32>):
    "linalg.generic"(%arg0, %arg1, %arg2, %arg3, %arg4) ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32, %arg8: f32, %arg9: f32):
      %0 = "arith.mulf"(%arg5, %arg6) : (f32, f32) -> f32
      %1 = "arith.addf"(%0, %arg7) : (f32, f32) -> f32
      %2 = "arith.subf"(%arg8, %0) : (f32, f32) -> f32
      "linalg.yield"(%1, %2) : (f32, f32) -> ()
    }) {indexing_maps = [#map0, #map1, #map2, #map3, #map4], iterator_types = ["parallel", "parallel"], operand_segment_sizes = dense<[3, 2]> : vector<2xi32>} : (memref<?xf32>, memref<?xf32>, memref<f32>, memref<?x?xf32>, memref<?x?xf32>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?xf32>, memref<?xf32>, memref<f32>, memref<?x?xf32>, memref<?x?xf32>) -> ()} : () -> ()
}) : () -> ()

