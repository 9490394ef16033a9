#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<9x11xf32>, memref<9xf32>, memref<9xf32>, memref<9x11xi64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>):
    "linalg.generic"(%arg0, %arg1, %arg2) <{indexing_maps = [#map, #map1, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 2>}> ({
    ^bb0(%arg5: f32, %arg6: f32, %arg7: f32):
      %6 = "arith.addf"(%arg6, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %7 = "arith.maximumf"(%arg7, %arg5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%6, %7) : (f32, f32) -> ()
    }) : (memref<9x11xf32>, memref<9xf32>, memref<9xf32>) -> ()
    "linalg.generic"(%arg3) <{indexing_maps = [#map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>}> ({
    ^bb0(%arg4: i64):
      %0 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %1 = "linalg.index"() <{dim = 1 : i64}> : () -> index
      %2 = "arith.constant"() <{value = 100 : index}> : () -> index
      %3 = "arith.muli"(%0, %2) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %4 = "arith.addi"(%3, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %5 = "arith.index_cast"(%4) : (index) -> i64
      "linalg.yield"(%5) : (i64) -> ()
    }) : (memref<9x11xi64>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

