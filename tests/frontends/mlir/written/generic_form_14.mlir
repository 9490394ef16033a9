"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<4x5xf32>, %arg1: memref<5x6xf32>, %arg2: memref<4x6xf32>):
    "linalg.matmul"(%arg0, %arg1, %arg2) ({
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
      %0 = "arith.mulf"(%arg3, %arg4) : (f32, f32) -> f32
      %1 = "arith.addf"(%arg5, %0) : (f32, f32) -> f32
      "linalg.yield"(%1) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (memref<4x5xf32>, memref<5x6xf32>, memref<4x6xf32>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<4x5xf32>, memref<5x6xf32>, memref<4x6xf32>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()
