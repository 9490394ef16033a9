"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf32>, index, index, memref<?x?xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?xf32>, %arg1: index, %arg2: index, %arg3: memref<?x?xf32>):
    %0 = "memref.reinterpret_cast"(%arg0, %arg1, %arg2, %arg2) <{operandSegmentSizes = array<i32: 1, 0, 2, 1>, static_offsets = array<i64: 0>, static_sizes = array<i64: -9223372036854775808, -9223372036854775808>, static_strides = array<i64: -9223372036854775808, 1>}> : (memref<?xf32>, index, index, index) -> memref<?x?xf32, strided<[?, 1]>>
    "memref.copy"(%0, %arg3) : (memref<?x?xf32, strided<[?, 1]>>, memref<?x?xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

