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
  ^bb0(%arg9: memref<64x64xf32>, %arg10: memref<64x64xf32>, %arg11: memref<64x64xf32>):
    "affine.for"() <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map2}> ({
    ^bb0(%arg12: index):
      "affine.for"() <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map2}> ({
      ^bb0(%arg13: index):
        "affine.for"() <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map2}> ({
        ^bb0(%arg14: index):
          %9 = "affine.load"(%arg9, %arg12, %arg14) <{map = #map}> : (memref<64x64xf32>, index, index) -> f32
          %10 = "affine.load"(%arg10, %arg14, %arg13) <{map = #map}> : (memref<64x64xf32>, index, index) -> f32
          %11 = "affine.load"(%arg11, %arg12, %arg13) <{map = #map}> : (memref<64x64xf32>, index, index) -> f32
          %12 = "arith.mulf"(%9, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %13 = "arith.addf"(%11, %12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "affine.store"(%13, %arg11, %arg12, %arg13) <{map = #map}> : (f32, memref<64x64xf32>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<?x?xf32>, index, f32) -> f32, sym_name = "forms"}> ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: index, %arg2: f32):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "memref.dim"(%arg0, %0) : (memref<?x?xf32>, index) -> index
    %2 = "affine.for"(%arg1, %arg1, %1, %arg2) <{lowerBoundMap = #map6, operandSegmentSizes = array<i32: 1, 2, 1>, step = 3 : index, upperBoundMap = #map7}> ({
    ^bb0(%arg5: index, %arg6: f32):
      %6 = "affine.for"(%arg5, %arg5, %1, %arg6) <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 1, 2, 1>, step = 1 : index, upperBoundMap = #map5}> ({
      ^bb0(%arg7: index, %arg8: f32):
        %7 = "affine.if"(%arg5, %arg7, %arg1) ({
          %8 = "affine.load"(%arg0, %arg5, %arg7, %arg1) <{map = #map3}> : (memref<?x?xf32>, index, index, index) -> f32
          "affine.yield"(%8) : (f32) -> ()
        }, {
          "affine.yield"(%arg8) : (f32) -> ()
        }) {condition = #set} : (index, index, index) -> f32
        "affine.yield"(%7) : (f32) -> ()
      }) : (index, index, index, f32) -> f32
      "affine.yield"(%6) : (f32) -> ()
    }) : (index, index, index, f32) -> f32
    %3 = "affine.apply"(%arg1, %1, %arg1) <{map = #map8}> : (index, index, index) -> index
    %4 = "affine.min"(%3, %1) <{map = #map9}> : (index, index) -> index
    "affine.parallel"(%4) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [], steps = [2, 5], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg3: index, %arg4: index):
      %5 = "affine.load"(%arg0, %arg3, %arg4) <{map = #map}> : (memref<?x?xf32>, index, index) -> f32
      "affine.store"(%5, %arg0, %arg4, %arg3) <{map = #map}> : (f32, memref<?x?xf32>, index, index) -> ()
      "affine.yield"() : () -> ()
    }) : (index) -> ()
    "affine.prefetch"(%arg0, %3, %4) <{isDataCache = true, isWrite = false, localityHint = 3 : i32, map = #map}> : (memref<?x?xf32>, index, index) -> ()
    "func.return"(%2) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<8x8xf32, #map12>, memref<8xf32, #map13>, memref<4x4xf32>) -> (), sym_name = "layouts", sym_visibility = "private"}> ({
  }) : () -> ()
}) : () -> ()

