#map = affine_map<(d0, d1) -> (d1, d0)>
"builtin.module"() ({
  "memref.global"() <{constant, initial_value = dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00], [4.000000e+00, 5.000000e+00, 6.500000e+00]]> : tensor<2x3xf32>, sym_name = "table", sym_visibility = "private", type = memref<2x3xf32>}> : () -> ()
  "memref.global"() <{initial_value = dense<0> : tensor<4xi8>, sym_name = "zero", type = memref<4xi8>}> : () -> ()
  "memref.global"() <{alignment = 64 : i64, initial_value, sym_name = "open", sym_visibility = "private", type = memref<16xf16>}> : () -> ()
  "memref.global"() <{constant, initial_value = dense<"0x0000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F000"> : tensor<128xi16>, sym_name = "long", type = memref<128xi16>}> : () -> ()
  "func.func"() <{function_type = (memref<?x64xf32, strided<[128, 2], offset: 7>>, index, memref<*xf32, 1>) -> memref<8x4xf32, strided<[?, ?], offset: ?>>, sym_name = "views"}> ({
  ^bb0(%arg0: memref<?x64xf32, strided<[128, 2], offset: 7>>, %arg1: index, %arg2: memref<*xf32, 1>):
    %0 = "arith.constant"() <{value = 3 : index}> : () -> index
    %1 = "memref.get_global"() <{name = @table}> : () -> memref<2x3xf32>
    %2 = "memref.alloc"(%arg1) <{alignment = 128 : i64, operandSegmentSizes = array<i32: 1, 0>}> : (index) -> memref<?x8xf32>
    %3 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<32x33xf32, 3>
    %4 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4xf32, #gpu.address_space<workgroup>>
    %5 = "memref.subview"(%arg0, %arg1, %0) <{operandSegmentSizes = array<i32: 1, 1, 0, 1>, static_offsets = array<i64: -9223372036854775808, 4>, static_sizes = array<i64: 8, 4>, static_strides = array<i64: -9223372036854775808, 2>}> : (memref<?x64xf32, strided<[128, 2], offset: 7>>, index, index) -> memref<8x4xf32, strided<[?, 4], offset: ?>>
    %6 = "memref.cast"(%5) : (memref<8x4xf32, strided<[?, 4], offset: ?>>) -> memref<8x4xf32, strided<[?, ?], offset: ?>>
    %7 = "memref.reinterpret_cast"(%2, %arg1) <{operandSegmentSizes = array<i32: 1, 0, 1, 0>, static_offsets = array<i64: 2>, static_sizes = array<i64: -9223372036854775808, 4>, static_strides = array<i64: 8, 1>}> : (memref<?x8xf32>, index) -> memref<?x4xf32, strided<[8, 1], offset: 2>>
    %8 = "memref.dim"(%2, %0) : (memref<?x8xf32>, index) -> index
    %9 = "memref.load"(%2, %arg1, %0) : (memref<?x8xf32>, index, index) -> f32
    "memref.store"(%9, %2, %0, %arg1) : (f32, memref<?x8xf32>, index, index) -> ()
    %10 = "memref.expand_shape"(%1) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 2, 3, 1>}> : (memref<2x3xf32>) -> memref<2x3x1xf32>
    %11 = "memref.collapse_shape"(%10) <{reassociation = [[0, 1, 2]]}> : (memref<2x3x1xf32>) -> memref<6xf32>
    %12 = "memref.transpose"(%1) <{permutation = #map}> : (memref<2x3xf32>) -> memref<3x2xf32, strided<[1, 3]>>
    %13 = "memref.atomic_rmw"(%9, %2, %arg1, %0) <{kind = 0 : i64}> : (f32, memref<?x8xf32>, index, index) -> f32
    %14 = "memref.generic_atomic_rmw"(%11, %0) ({
    ^bb0(%arg3: f32):
      %18 = "arith.mulf"(%arg3, %arg3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "memref.atomic_yield"(%18) : (f32) -> ()
    }) : (memref<6xf32>, index) -> f32
    "memref.dealloc"(%2) : (memref<?x8xf32>) -> ()
    %15 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<2xmemref<4xf32>>
    %16 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<2xcomplex<f64>>
    %17 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<2xvector<4xf32>>
    "func.return"(%6) : (memref<8x4xf32, strided<[?, ?], offset: ?>>) -> ()
  }) : () -> ()
}) : () -> ()

