#loc2 = loc("<stdin>":4:18)
#loc3 = loc("<stdin>":4:41)
#loc4 = loc("<stdin>":4:63)
#loc5 = loc("<stdin>":4:88)
#loc6 = loc("<stdin>":4:108)
#loc9 = loc(unknown)
#loc14 = loc("<stdin>":12:22)
#loc15 = loc("<stdin>":12:43)
#loc16 = loc("<stdin>":12:62)
#loc19 = loc("<stdin>":16:10)
#loc20 = loc("<stdin>":16:19)
#loc21 = loc("<stdin>":16:28)
#loc27 = loc("<stdin>":24:20)
#loc28 = loc("<stdin>":24:46)
#loc29 = loc("<stdin>":24:71)
#loc30 = loc("<stdin>":24:95)
#loc31 = loc("<stdin>":24:114)
#loc32 = loc("<stdin>":24:133)
#loc36 = loc("<stdin>":29:10)
#loc37 = loc("<stdin>":29:19)
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
  ^bb0(%arg20: tensor<16x32xf32> loc("<stdin>":4:18), %arg21: tensor<32x8xf32> loc("<stdin>":4:41), %arg22: tensor<16x8xf32> loc("<stdin>":4:63), %arg23: tensor<32xf32> loc("<stdin>":4:88), %arg24: tensor<16xf32> loc("<stdin>":4:108)):
    %12 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32 loc(#loc7)
    %13 = "linalg.fill"(%12, %arg22) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg31: f32 loc(unknown), %arg32: f32 loc(unknown)):
      "linalg.yield"(%arg31) : (f32) -> () loc(#loc9)
    }) : (f32, tensor<16x8xf32>) -> tensor<16x8xf32> loc(#loc8)
    %14 = "linalg.matmul"(%arg20, %arg21, %13) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg28: f32 loc(unknown), %arg29: f32 loc(unknown), %arg30: f32 loc(unknown)):
      %18 = "arith.mulf"(%arg28, %arg29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      %19 = "arith.addf"(%arg30, %18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      "linalg.yield"(%19) : (f32) -> () loc(#loc9)
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (tensor<16x32xf32>, tensor<32x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> loc(#loc10)
    %15 = "linalg.matvec"(%arg20, %arg23, %arg24) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg25: f32 loc(unknown), %arg26: f32 loc(unknown), %arg27: f32 loc(unknown)):
      %16 = "arith.mulf"(%arg25, %arg26) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      %17 = "arith.addf"(%arg27, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      "linalg.yield"(%17) : (f32) -> () loc(#loc9)
    }) {linalg.memoized_indexing_maps = [#map3, #map4, #map5]} : (tensor<16x32xf32>, tensor<32xf32>, tensor<16xf32>) -> tensor<16xf32> loc(#loc11)
    "func.return"(%14) : (tensor<16x8xf32>) -> () loc(#loc12)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>, sym_name = "bias_relu"}> ({
  ^bb0(%arg14: tensor<?x8xf32> loc("<stdin>":12:22), %arg15: tensor<8xf32> loc("<stdin>":12:43), %arg16: tensor<?x8xf32> loc("<stdin>":12:62)):
    %8 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32 loc(#loc17)
    %9 = "linalg.generic"(%arg14, %arg15, %arg16) <{indexing_maps = [#map3, #map4, #map3], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], library_call = "bias", operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg17: f32 loc("<stdin>":16:10), %arg18: f32 loc("<stdin>":16:19), %arg19: f32 loc("<stdin>":16:28)):
      %10 = "arith.addf"(%arg17, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc22)
      %11 = "arith.maximumf"(%10, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc23)
      "linalg.yield"(%11) : (f32) -> () loc(#loc24)
    }) {user.note = "keep"} : (tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32> loc(#loc18)
    "func.return"(%9) : (tensor<?x8xf32>) -> () loc(#loc25)
  }) : () -> () loc(#loc13)
  "func.func"() <{function_type = (memref<4x16x32xbf16>, memref<4x32x8xbf16>, memref<4x16x8xf32>, memref<8xf32>, memref<8xf32>, memref<f32>) -> (), sym_name = "memrefs"}> ({
  ^bb0(%arg0: memref<4x16x32xbf16> loc("<stdin>":24:20), %arg1: memref<4x32x8xbf16> loc("<stdin>":24:46), %arg2: memref<4x16x8xf32> loc("<stdin>":24:71), %arg3: memref<8xf32> loc("<stdin>":24:95), %arg4: memref<8xf32> loc("<stdin>":24:114), %arg5: memref<f32> loc("<stdin>":24:133)):
    "linalg.batch_matmul"(%arg0, %arg1, %arg2) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg11: bf16 loc(unknown), %arg12: bf16 loc(unknown), %arg13: f32 loc(unknown)):
      %4 = "arith.extf"(%arg11) : (bf16) -> f32 loc(#loc9)
      %5 = "arith.extf"(%arg12) : (bf16) -> f32 loc(#loc9)
      %6 = "arith.mulf"(%4, %5) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      %7 = "arith.addf"(%arg13, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      "linalg.yield"(%7) : (f32) -> () loc(#loc9)
    }) {linalg.memoized_indexing_maps = [#map6, #map7, #map8]} : (memref<4x16x32xbf16>, memref<4x32x8xbf16>, memref<4x16x8xf32>) -> () loc(#loc33)
    "linalg.dot"(%arg3, %arg4, %arg5) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg8: f32 loc(unknown), %arg9: f32 loc(unknown), %arg10: f32 loc(unknown)):
      %2 = "arith.mulf"(%arg8, %arg9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      %3 = "arith.addf"(%arg10, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc9)
      "linalg.yield"(%3) : (f32) -> () loc(#loc9)
    }) {linalg.memoized_indexing_maps = [#map9, #map9, #map10]} : (memref<8xf32>, memref<8xf32>, memref<f32>) -> () loc(#loc34)
    "linalg.generic"(%arg3, %arg5) <{indexing_maps = [#map9, #map10], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg6: f32 loc("<stdin>":29:10), %arg7: f32 loc("<stdin>":29:19)):
      %0 = "linalg.index"() <{dim = 0 : i64}> : () -> index loc(#loc38)
      %1 = "arith.addf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc39)
      "linalg.yield"(%1) : (f32) -> () loc(#loc40)
    }) : (memref<8xf32>, memref<f32>) -> () loc(#loc35)
    "func.return"() : () -> () loc(#loc41)
  }) : () -> () loc(#loc26)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":4:1)
#loc7 = loc("<stdin>":5:11)
#loc8 = loc("<stdin>":6:8)
#loc10 = loc("<stdin>":7:8)
#loc11 = loc("<stdin>":8:8)
#loc12 = loc("<stdin>":9:3)
#loc13 = loc("<stdin>":12:1)
#loc17 = loc("<stdin>":13:11)
#loc18 = loc("<stdin>":14:8)
#loc22 = loc("<stdin>":17:12)
#loc23 = loc("<stdin>":18:12)
#loc24 = loc("<stdin>":19:7)
#loc25 = loc("<stdin>":21:3)
#loc26 = loc("<stdin>":24:1)
#loc33 = loc("<stdin>":25:3)
#loc34 = loc("<stdin>":26:3)
#loc35 = loc("<stdin>":27:3)
#loc38 = loc("<stdin>":30:12)
#loc39 = loc("<stdin>":31:12)
#loc40 = loc("<stdin>":32:7)
#loc41 = loc("<stdin>":34:3)

