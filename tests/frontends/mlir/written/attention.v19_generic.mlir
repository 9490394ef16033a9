#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<() -> (0)>
#map5 = affine_map<() -> (8)>
#map6 = affine_map<(d0, d1, d2) -> (d2, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>, memref<8x4xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<8x4xf32>, %arg1: memref<8x4xf32>, %arg2: memref<8x4xf32>, %arg3: memref<8x4xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<8x8xf32>
    "linalg.fill"(%0, %1) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32):
      "linalg.yield"(%arg16) : (f32) -> ()
    }) : (f32, memref<8x8xf32>) -> ()
    "linalg.generic"(%arg0, %arg1, %1) <{indexing_maps = [#map, #map1, #map2], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
      %10 = "arith.mulf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %11 = "arith.addf"(%arg15, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%11) : (f32) -> ()
    }) : (memref<8x4xf32>, memref<8x4xf32>, memref<8x8xf32>) -> ()
    "affine.for"() <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map5}> ({
    ^bb0(%arg9: index):
      %4 = "affine.for"(%0) <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 0, 0, 1>, step = 1 : index, upperBoundMap = #map5}> ({
      ^bb0(%arg11: index, %arg12: f32):
        %7 = "affine.load"(%1, %arg9, %arg11) <{map = #map3}> : (memref<8x8xf32>, index, index) -> f32
        %8 = "math.exp"(%7) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
        "affine.store"(%8, %1, %arg9, %arg11) <{map = #map3}> : (f32, memref<8x8xf32>, index, index) -> ()
        %9 = "arith.addf"(%arg12, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "affine.yield"(%9) : (f32) -> ()
      }) : (f32) -> f32
      "affine.for"() <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map5}> ({
      ^bb0(%arg10: index):
        %5 = "affine.load"(%1, %arg9, %arg10) <{map = #map3}> : (memref<8x8xf32>, index, index) -> f32
        %6 = "arith.divf"(%5, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "affine.store"(%6, %1, %arg9, %arg10) <{map = #map3}> : (f32, memref<8x8xf32>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "linalg.fill"(%0, %arg3) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg7: f32, %arg8: f32):
      "linalg.yield"(%arg7) : (f32) -> ()
    }) : (f32, memref<8x4xf32>) -> ()
    "linalg.matmul"(%1, %arg2, %arg3) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %2 = "arith.mulf"(%arg4, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %3 = "arith.addf"(%arg6, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%3) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map6, #map2]} : (memref<8x8xf32>, memref<8x4xf32>, memref<8x4xf32>) -> ()
    "memref.dealloc"(%1) : (memref<8x8xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

