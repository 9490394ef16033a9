#map = affine_map<() -> (0)>
#map1 = affine_map<() -> (4)>
#map2 = affine_map<(d0, d1) -> (d0 + 3, d1)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<(d0) -> (-d0 + 3)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<() -> (6)>
"builtin.module"() ({
  "memref.global"() <{constant, initial_value = dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.500000e+00]]> : tensor<2x4xf32>, sym_name = "weights", sym_visibility = "private", type = memref<2x4xf32>}> : () -> ()
  "func.func"() <{function_type = (f32) -> f32, sym_name = "twice", sym_visibility = "private"}> ({
  ^bb0(%arg8: f32):
    %13 = "arith.addf"(%arg8, %arg8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "func.return"(%13) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<8x12xf32>, index, memref<4x4xf32>, memref<6x4xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<8x12xf32>, %arg1: index, %arg2: memref<4x4xf32>, %arg3: memref<6x4xf32>):
    %0 = "arith.constant"() <{value = 1 : index}> : () -> index
    %1 = "memref.subview"(%arg0, %arg1) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808, 4>, static_sizes = array<i64: 4, 4>, static_strides = array<i64: 1, 1>}> : (memref<8x12xf32>, index) -> memref<4x4xf32, strided<[12, 1], offset: ?>>
    %2 = "memref.alloc"() <{alignment = 64 : i64, operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4x4xf32>
    "memref.copy"(%1, %2) : (memref<4x4xf32, strided<[12, 1], offset: ?>>, memref<4x4xf32>) -> ()
    %3 = "memref.subview"(%2) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 2, 0>, static_sizes = array<i64: 1, 4>, static_strides = array<i64: 1, 1>}> : (memref<4x4xf32>) -> memref<4xf32, strided<[1], offset: 8>>
    %4 = "memref.get_global"() <{name = @weights}> : () -> memref<2x4xf32>
    "affine.for"() <{lowerBoundMap = #map, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map1}> ({
    ^bb0(%arg7: index):
      %9 = "memref.load"(%3, %arg7) : (memref<4xf32, strided<[1], offset: 8>>, index) -> f32
      %10 = "func.call"(%9) <{callee = @twice}> : (f32) -> f32
      %11 = "memref.load"(%4, %0, %arg7) : (memref<2x4xf32>, index, index) -> f32
      %12 = "arith.addf"(%10, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "memref.store"(%12, %3, %arg7) : (f32, memref<4xf32, strided<[1], offset: 8>>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "memref.copy"(%2, %arg2) : (memref<4x4xf32>, memref<4x4xf32>) -> ()
    "memref.dealloc"(%2) : (memref<4x4xf32>) -> ()
    %5 = "memref.reinterpret_cast"(%arg0) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 0>, static_sizes = array<i64: 24, 4>, static_strides = array<i64: 4, 1>}> : (memref<8x12xf32>) -> memref<24x4xf32>
    %6 = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4xf32>
    "affine.for"() <{lowerBoundMap = #map, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map6}> ({
    ^bb0(%arg4: index):
      "affine.for"() <{lowerBoundMap = #map, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map1}> ({
      ^bb0(%arg6: index):
        %8 = "affine.load"(%5, %arg4, %arg6) <{map = #map2}> : (memref<24x4xf32>, index, index) -> f32
        "affine.store"(%8, %6, %arg6) <{map = #map3}> : (f32, memref<4xf32>, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.for"() <{lowerBoundMap = #map, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map1}> ({
      ^bb0(%arg5: index):
        %7 = "affine.load"(%6, %arg5) <{map = #map4}> : (memref<4xf32>, index) -> f32
        "affine.store"(%7, %arg3, %arg4, %arg5) <{map = #map5}> : (f32, memref<6x4xf32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

