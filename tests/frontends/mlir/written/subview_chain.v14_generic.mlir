#map0 = affine_map<(d0, d1)[s0] -> (d0 * 20 + d1 + s0)>
#map1 = affine_map<(d0)[s0] -> (d0 + s0)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<16x20xf32>, %arg1: index):
    %0 = "memref.subview"(%arg0, %arg1) {operand_segment_sizes = dense<[1, 1, 0, 0]> : vector<4xi32>, static_offsets = [2, -9223372036854775808], static_sizes = [10, 12], static_strides = [1, 1]} : (memref<16x20xf32>, index) -> memref<10x12xf32, #map0>
    %1 = "memref.subview"(%0, %arg1) {operand_segment_sizes = dense<[1, 1, 0, 0]> : vector<4xi32>, static_offsets = [-9223372036854775808, 1], static_sizes = [4, 8], static_strides = [1, 1]} : (memref<10x12xf32, #map0>, index) -> memref<4x8xf32, #map0>
    %2 = "memref.subview"(%1) {operand_segment_sizes = dense<[1, 0, 0, 0]> : vector<4xi32>, static_offsets = [1, 0], static_sizes = [1, 8], static_strides = [1, 1]} : (memref<4x8xf32, #map0>) -> memref<8xf32, #map1>
    %3 = "arith.constant"() {value = 1.000000e+00 : f32} : () -> f32
    "linalg.fill"(%3, %2) ({
    ^bb0(%arg2: f32, %arg3: f32):
      "linalg.yield"(%arg2) : (f32) -> ()
    }) : (f32, memref<8xf32, #map1>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<16x20xf32>, index) -> ()} : () -> ()
}) : () -> ()

