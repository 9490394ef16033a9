#map = affine_map<(d0, d1) -> (d0 * 40 + d1 * 3 + 3)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<16x20xf32>, %arg1: memref<8x5xf32>):
    %0 = "memref.subview"(%arg0) {operand_segment_sizes = dense<[1, 0, 0, 0]> : vector<4xi32>, static_offsets = [0, 3], static_sizes = [8, 5], static_strides = [2, 3]} : (memref<16x20xf32>) -> memref<8x5xf32, #map>
    "memref.copy"(%0, %arg1) : (memref<8x5xf32, #map>, memref<8x5xf32>) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<16x20xf32>, memref<8x5xf32>) -> ()} : () -> ()
}) : () -> ()

