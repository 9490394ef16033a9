#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0)>
#map6 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map7 = affine_map<(d0, d1, d2, d3) -> (d0, d3, d2)>
#map8 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map9 = affine_map<(d0) -> (d0)>
#map10 = affine_map<(d0) -> ()>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>, tensor<32xf32>, tensor<16xf32>) -> tensor<16x8xf32>, sym_name = "named"}> ({
  ^bb0(%arg20: tensor<16x32xf32>, %arg21: tensor<32x8xf32>, %arg22: tensor<16x8xf32>, %arg23: tensor<32xf32>, %arg24: tensor<16xf32>):
    %12 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %13 = "linalg.fill"(%12, %arg22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      "linalg.yield"(%arg31) : (f32) -> ()
    }) : (f32, tensor<16x8xf32>) -> tensor<16x8xf32>
    %14 = "linalg.matmul"(%arg20, %arg21, %13) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32, %arg29: f32, %arg30: f32):
      %18 = "arith.mulf"(%arg28, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %19 = "arith.addf"(%arg30, %18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%19) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
    %15 = "linalg.matvec"(%arg20, %arg23, %arg24) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32, %arg26: f32, %arg27: f32):
      %16 = "arith.mulf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %17 = "arith.addf"(%arg27, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%17) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map3, #map4, #map5]} : (tensor<16x32xf32>, tensor<32xf32>, tensor<16xf32>) -> tensor<16xf32>
    "func.return"(%14) : (tensor<16x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>, sym_name = "bias_relu"}> ({
  ^bb0(%arg14: tensor<?x8xf32>, %arg15: tensor<8xf32>, %arg16: tensor<?x8xf32>):
    %8 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %9 = "linalg.generic"(%arg14, %arg15, %arg16) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], library_call = "bias", operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32, %arg18: f32, %arg19: f32):
      %10 = "arith.addf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %11 = "arith.maximumf"(%10, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%11) : (f32) -> ()
    }) {user.note = "keep"} : (tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    "func.return"(%9) : (tensor<?x8xf32>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<4x16x32xbf16>, memref<4x32x8xbf16>, memref<4x16x8xf32>, memref<8xf32>, memref<8xf32>, memref<f32>) -> (), sym_name = "memrefs"}> ({
  ^bb0(%arg0: memref<4x16x32xbf16>, %arg1: memref<4x32x8xbf16>, %arg2: memref<4x16x8xf32>, %arg3: memref<8xf32>, %arg4: memref<8xf32>, %arg5: memref<f32>):
    "linalg.batch_matmul"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: bf16, %arg12: bf16, %arg13: f32):
      %4 = "arith.extf"(%arg11) : (bf16) -> f32
      %5 = "arith.extf"(%arg12) : (bf16) -> f32
      %6 = "arith.mulf"(%4, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %7 = "arith.addf"(%arg13, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%7) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map8]} : (memref<4x16x32xbf16>, memref<4x32x8xbf16>, memref<4x16x8xf32>) -> ()
    "linalg.dot"(%arg3, %arg4, %arg5) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f32, %arg9: f32, %arg10: f32):
      %2 = "arith.mulf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %3 = "arith.addf"(%arg10, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%3) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map9, #map9, #map10]} : (memref<8xf32>, memref<8xf32>, memref<f32>) -> ()
    "linalg.generic"(%arg3, %arg5) <{indexing_maps = [#map9, #map10], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32):
      %0 = "linalg.index"() <{dim = 0 : i64}> : () -> index
      %1 = "arith.addf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%1) : (f32) -> ()
    }) : (memref<8xf32>, memref<f32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

