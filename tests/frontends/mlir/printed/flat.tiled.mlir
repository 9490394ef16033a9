#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 10)>
#map2 = affine_map<(d0) -> (d0 + 4, 14)>
module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg3 = 0 to 10 step 4 {
      affine.for %arg4 = 0 to 14 step 4 {
        affine.for %arg5 = #map(%arg3) to min #map1(%arg3) {
          affine.for %arg6 = #map(%arg4) to min #map2(%arg4) {
            affine.store %cst, %arg2[%arg5 * 14 + %arg6] : memref<140xf32>
            affine.for %arg7 = 0 to 24 {
              %0 = affine.load %arg0[%arg5 * 24 + %arg7] : memref<240xf32>
              %1 = affine.load %arg1[%arg7 * 14 + %arg6] : memref<336xf32>
              %2 = affine.load %arg2[%arg5 * 14 + %arg6] : memref<140xf32>
              %3 = arith.mulf %0, %1 : f32
              %4 = arith.addf %2, %3 : f32
              affine.store %4, %arg2[%arg5 * 14 + %arg6] : memref<140xf32>
            }
          }
        }
      }
    }
    return
  }
}

