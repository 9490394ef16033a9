"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<16x20xf32>, %arg1: index):
    %0 = "memref.subview"(%arg0, %arg1) {operand_segment_sizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: 2, -9223372036854775808>, static_sizes = array<i64: 10, 12>, static_strides = array<i64: 1, 1>} : (memref<16x20xf32>, index) -> memref<10x12xf32, strided<[20, 1], offset: ?>>
    %1 = "memref.subview"(%0, %arg1) {operand_segment_sizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 1>, static_sizes = array<i64: 4, 8>, static_strides = array<i64: 1, 1>} : (memref<10x12xf32, strided<[20, 1], offset: ?>>, index) -> memref<4x8xf32, strided<[20, 1], offset: ?>>
    %2 = "memref.subview"(%1) {operand_segment_sizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 0>, static_sizes = array<i64: 1, 8>, static_strides = array<i64: 1, 1>} : (memref<4x8xf32, strided<[20, 1], offset: ?>>) -> memref<8xf32, strided<[1], offset: ?>>
    %3 = "arith.constant"() {value = 1.000000e+00 : f32} : () -> f32
    "linalg.fill"(%3, %2) ({
    ^bb0(%arg2: f32, %arg3: f32):
      "linalg.yield"(%arg2) : (f32) -> ()
    }) {operand_segment_sizes = array<i32: 1, 1>} : (f32, memref<8xf32, strided<[1], offset: ?>>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<16x20xf32>, index) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

