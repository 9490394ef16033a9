#loc2 = loc("<stdin>":6:19)
#loc3 = loc("<stdin>":6:42)
#loc4 = loc("<stdin>":6:65)
#loc6 = loc("<stdin>":7:14)
#loc8 = loc("<stdin>":8:16)
#loc10 = loc("<stdin>":9:18)
#loc19 = loc("<stdin>":22:18)
#loc20 = loc("<stdin>":22:39)
#loc21 = loc("<stdin>":22:50)
#loc25 = loc("<stdin>":25:19)
#loc26 = loc("<stdin>":25:102)
#loc28 = loc("<stdin>":26:23)
#loc29 = loc("<stdin>":26:112)
#loc39 = loc("<stdin>":39:20)
#loc40 = loc("<stdin>":39:24)
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<() -> (0)>
#map2 = affine_map<() -> (64)>
#map3 = affine_map<(d0, d1)[s0] -> (d0 + d1 floordiv 2, s0 mod 7)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0)[s0] -> (d0 + s0)>
#map6 = affine_map<(d0) -> (0, d0 - 8)>
#map7 = affine_map<(d0)[s0] -> (d0 * 32, s0)>
#map8 = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>
#map9 = affine_map<(d0)[s0] -> (d0 - 1, s0 * 4, 100)>
#map10 = affine_map<() -> (0, 0)>
#map11 = affine_map<(d0) -> (d0, 10)>
#map12 = affine_map<(d0, d1) -> (d1, d0)>
#map13 = affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
#set = affine_set<(d0, d1)[s0] : (d0 - d1 >= 0, -d0 + s0 - 1 >= 0, d1 - 3 == 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<64x64xf32>, memref<64x64xf32>, memref<64x64xf32>) -> (), sym_name = "matmul"}> ({
  ^bb0(%arg9: memref<64x64xf32> loc("<stdin>":6:19), %arg10: memref<64x64xf32> loc("<stdin>":6:42), %arg11: memref<64x64xf32> loc("<stdin>":6:65)):
    "affine.for"() <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map2}> ({
    ^bb0(%arg12: index loc("<stdin>":7:14)):
      "affine.for"() <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map2}> ({
      ^bb0(%arg13: index loc("<stdin>":8:16)):
        "affine.for"() <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map2}> ({
        ^bb0(%arg14: index loc("<stdin>":9:18)):
          %9 = "affine.load"(%arg9, %arg12, %arg14) <{map = #map}> : (memref<64x64xf32>, index, index) -> f32 loc(#loc11)
          %10 = "affine.load"(%arg10, %arg14, %arg13) <{map = #map}> : (memref<64x64xf32>, index, index) -> f32 loc(#loc12)
          %11 = "affine.load"(%arg11, %arg12, %arg13) <{map = #map}> : (memref<64x64xf32>, index, index) -> f32 loc(#loc13)
          %12 = "arith.mulf"(%9, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc14)
          %13 = "arith.addf"(%11, %12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc15)
          "affine.store"(%13, %arg11, %arg12, %arg13) <{map = #map}> : (f32, memref<64x64xf32>, index, index) -> () loc(#loc16)
          "affine.yield"() : () -> () loc(#loc9)
        }) : () -> () loc(#loc9)
        "affine.yield"() : () -> () loc(#loc7)
      }) : () -> () loc(#loc7)
      "affine.yield"() : () -> () loc(#loc5)
    }) : () -> () loc(#loc5)
    "func.return"() : () -> () loc(#loc17)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (memref<?x?xf32>, index, f32) -> f32, sym_name = "forms"}> ({
  ^bb0(%arg0: memref<?x?xf32> loc("<stdin>":22:18), %arg1: index loc("<stdin>":22:39), %arg2: f32 loc("<stdin>":22:50)):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index loc(#loc22)
    %1 = "memref.dim"(%arg0, %0) : (memref<?x?xf32>, index) -> index loc(#loc23)
    %2 = "affine.for"(%arg1, %arg1, %1, %arg2) <{lowerBoundMap = #map6, operandSegmentSizes = array<i32: 1, 2, 1>, step = 3 : index, upperBoundMap = #map7}> ({
    ^bb0(%arg5: index loc("<stdin>":25:19), %arg6: f32 loc("<stdin>":25:102)):
      %6 = "affine.for"(%arg5, %arg5, %1, %arg6) <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 1, 2, 1>, step = 1 : index, upperBoundMap = #map5}> ({
      ^bb0(%arg7: index loc("<stdin>":26:23), %arg8: f32 loc("<stdin>":26:112)):
        %7 = "affine.if"(%arg5, %arg7, %arg1) ({
          %8 = "affine.load"(%arg0, %arg5, %arg7, %arg1) <{map = #map3}> : (memref<?x?xf32>, index, index, index) -> f32 loc(#loc31)
          "affine.yield"(%8) : (f32) -> () loc(#loc32)
        }, {
          "affine.yield"(%arg8) : (f32) -> () loc(#loc33)
        }) {condition = #set} : (index, index, index) -> f32 loc(#loc30)
        "affine.yield"(%7) : (f32) -> () loc(#loc34)
      }) : (index, index, index, f32) -> f32 loc(#loc27)
      "affine.yield"(%6) : (f32) -> () loc(#loc35)
    }) : (index, index, index, f32) -> f32 loc(#loc24)
    %3 = "affine.apply"(%arg1, %1, %arg1) <{map = #map8}> : (index, index, index) -> index loc(#loc36)
    %4 = "affine.min"(%3, %1) <{map = #map9}> : (index, index) -> index loc(#loc37)
    "affine.parallel"(%4) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [], steps = [2, 5], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg3: index loc("<stdin>":39:20), %arg4: index loc("<stdin>":39:24)):
      %5 = "affine.load"(%arg0, %arg3, %arg4) <{map = #map}> : (memref<?x?xf32>, index, index) -> f32 loc(#loc41)
      "affine.store"(%5, %arg0, %arg4, %arg3) <{map = #map}> : (f32, memref<?x?xf32>, index, index) -> () loc(#loc42)
      "affine.yield"() : () -> () loc(#loc38)
    }) : (index) -> () loc(#loc38)
    "affine.prefetch"(%arg0, %3, %4) <{isDataCache = true, isWrite = false, localityHint = 3 : i32, map = #map}> : (memref<?x?xf32>, index, index) -> () loc(#loc43)
    "func.return"(%2) : (f32) -> () loc(#loc44)
  }) : () -> () loc(#loc18)
  "func.func"() <{function_type = (memref<8x8xf32, #map12>, memref<8xf32, #map13>, memref<4x4xf32>) -> (), sym_name = "layouts", sym_visibility = "private"}> ({
  }) : () -> () loc(#loc45)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":6:1)
#loc5 = loc("<stdin>":7:3)
#loc7 = loc("<stdin>":8:5)
#loc9 = loc("<stdin>":9:7)
#loc11 = loc("<stdin>":10:14)
#loc12 = loc("<stdin>":11:14)
#loc13 = loc("<stdin>":12:14)
#loc14 = loc("<stdin>":13:14)
#loc15 = loc("<stdin>":14:14)
#loc16 = loc("<stdin>":15:9)
#loc17 = loc("<stdin>":19:3)
#loc18 = loc("<stdin>":22:1)
#loc22 = loc("<stdin>":23:9)
#loc23 = loc("<stdin>":24:8)
#loc24 = loc("<stdin>":25:8)
#loc27 = loc("<stdin>":26:12)
#loc30 = loc("<stdin>":27:12)
#loc31 = loc("<stdin>":28:14)
#loc32 = loc("<stdin>":29:9)
#loc33 = loc("<stdin>":31:9)
#loc34 = loc("<stdin>":33:7)
#loc35 = loc("<stdin>":35:5)
#loc36 = loc("<stdin>":37:8)
#loc37 = loc("<stdin>":38:8)
#loc38 = loc("<stdin>":39:3)
#loc41 = loc("<stdin>":40:10)
#loc42 = loc("<stdin>":41:5)
#loc43 = loc("<stdin>":43:3)
#loc44 = loc("<stdin>":44:3)
#loc45 = loc("<stdin>":47:1)

