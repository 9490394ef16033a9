"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<?xf32>, %arg1: index, %arg2: index, %arg3: memref<?xf32>):
    %0 = "memref.subview"(%arg0, %arg2, %arg1) {operand_segment_sizes = array<i32: 1, 0, 1, 1>, static_offsets = array<i64: 1>, static_sizes = array<i64: -9223372036854775808>, static_strides = array<i64: -9223372036854775808>} : (memref<?xf32>, index, index) -> memref<?xf32, strided<[?], offset: 1>>
    %1 = "arith.constant"() {value = 0 : index} : () -> index
    %2 = "arith.constant"() {value = 1 : index} : () -> index
    "scf.for"(%1, %arg2, %2) ({
    ^bb0(%arg4: index):
      %3 = "memref.load"(%0, %arg4) : (memref<?xf32, strided<[?], offset: 1>>, index) -> f32
      "memref.store"(%3, %arg3, %arg4) : (f32, memref<?xf32>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?xf32>, index, index, memref<?xf32>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

