#map = affine_map<(d0, d1) -> (d0 * 14 + d1)>
#map1 = affine_map<(d0, d1) -> (d0 * 24 + d1)>
#map2 = affine_map<() -> (0)>
#map3 = affine_map<() -> (24)>
#map4 = affine_map<() -> (14)>
#map5 = affine_map<() -> (10)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<240xf32>, memref<336xf32>, memref<140xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map5}> ({
    ^bb0(%arg3: index):
      "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map4}> ({
      ^bb0(%arg4: index):
        "affine.store"(%0, %arg2, %arg3, %arg4) <{map = #map}> : (f32, memref<140xf32>, index, index) -> ()
        "affine.for"() <{lowerBoundMap = #map2, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map3}> ({
        ^bb0(%arg5: index):
          %1 = "affine.load"(%arg0, %arg3, %arg5) <{map = #map1}> : (memref<240xf32>, index, index) -> f32
          %2 = "affine.load"(%arg1, %arg5, %arg4) <{map = #map}> : (memref<336xf32>, index, index) -> f32
          %3 = "affine.load"(%arg2, %arg3, %arg4) <{map = #map}> : (memref<140xf32>, index, index) -> f32
          %4 = "arith.mulf"(%1, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %5 = "arith.addf"(%3, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "affine.store"(%5, %arg2, %arg3, %arg4) <{map = #map}> : (f32, memref<140xf32>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

