#map = affine_map<(d0)[s0, s1] -> (s1, -d0 + s0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x5xf32>, memref<?x5xf32>, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x5xf32>, %arg1: memref<?x5xf32>, %arg2: index):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "memref.dim"(%arg0, %0) : (memref<?x5xf32>, index) -> index
    "scf.for"(%0, %1, %arg2) ({
    ^bb0(%arg3: index):
      %2 = "affine.min"(%arg3, %1, %arg2) <{map = #map}> : (index, index, index) -> index
      %3 = "memref.alloc"(%2) <{operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?x5xf32>
      %4 = "memref.subview"(%arg0, %arg3, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: -9223372036854775808, 5>, static_strides = array<i64: 1, 1>}> : (memref<?x5xf32>, index, index) -> memref<?x5xf32, strided<[5, 1], offset: ?>>
      %5 = "memref.subview"(%arg1, %arg3, %2) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>, static_offsets = array<i64: -9223372036854775808, 0>, static_sizes = array<i64: -9223372036854775808, 5>, static_strides = array<i64: 1, 1>}> : (memref<?x5xf32>, index, index) -> memref<?x5xf32, strided<[5, 1], offset: ?>>
      "memref.copy"(%4, %3) : (memref<?x5xf32, strided<[5, 1], offset: ?>>, memref<?x5xf32>) -> ()
      "linalg.mul"(%3, %3, %5) <{operandSegmentSizes = array<i32: 2, 1>}> ({
      ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
        %6 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "linalg.yield"(%6) : (f32) -> ()
      }) : (memref<?x5xf32>, memref<?x5xf32>, memref<?x5xf32, strided<[5, 1], offset: ?>>) -> ()
      "memref.dealloc"(%3) : (memref<?x5xf32>) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

