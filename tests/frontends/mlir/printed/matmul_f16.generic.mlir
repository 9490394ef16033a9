#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<16x32xf16>, memref<32x24xf16>, memref<16x24xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>):
    "linalg.matmul"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: f16, %arg4: f16, %arg5: f32):
      %0 = "arith.extf"(%arg3) : (f16) -> f32
      %1 = "arith.extf"(%arg4) : (f16) -> f32
      %2 = "arith.mulf"(%0, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %3 = "arith.addf"(%arg5, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%3) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (memref<16x32xf16>, memref<32x24xf16>, memref<16x24xf32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

