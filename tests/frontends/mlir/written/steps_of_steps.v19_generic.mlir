#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (5)>
#map4 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<20x30xi32>, memref<?x5xi32>, index, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<20x30xi32>, %arg1: memref<?x5xi32>, %arg2: index, %arg3: index):
    %0 = "memref.subview"(%arg0, %arg2) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: 1, -9223372036854775808>, static_sizes = array<i64: 9, 12>, static_strides = array<i64: 2, 2>}> : (memref<20x30xi32>, index) -> memref<9x12xi32, strided<[60, 2], offset: ?>>
    %1 = "memref.subview"(%0, %arg3) <{operandSegmentSizes = array<i32: 1, 0, 0, 1>, static_offsets = array<i64: 0, 1>, static_sizes = array<i64: 3, 5>, static_strides = array<i64: -9223372036854775808, 2>}> : (memref<9x12xi32, strided<[60, 2], offset: ?>>, index) -> memref<3x5xi32, strided<[?, 4], offset: ?>>
    %2 = "memref.subview"(%1) <{operandSegmentSizes = array<i32: 1, 0, 0, 0>, static_offsets = array<i64: 1, 0>, static_sizes = array<i64: 1, 5>, static_strides = array<i64: 1, 1>}> : (memref<3x5xi32, strided<[?, 4], offset: ?>>) -> memref<5xi32, strided<[4], offset: ?>>
    %3 = "arith.constant"() <{value = 0 : index}> : () -> index
    %4 = "memref.dim"(%arg1, %3) : (memref<?x5xi32>, index) -> index
    "affine.for"(%4) <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = #map4}> ({
    ^bb0(%arg4: index):
      "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map3}> ({
      ^bb0(%arg5: index):
        %5 = "affine.load"(%2, %arg5) <{map = #map}> : (memref<5xi32, strided<[4], offset: ?>>, index) -> i32
        "affine.store"(%5, %arg1, %arg4, %arg5) <{map = #map1}> : (i32, memref<?x5xi32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : (index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

