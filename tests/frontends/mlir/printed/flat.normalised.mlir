#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0) -> (4, -d0 + 10)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0) -> (4, -d0 + 14)>
module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg3 = 0 to 3 {
      %0 = affine.apply #map(%arg3)
      affine.for %arg4 = 0 to 4 {
        %1 = affine.apply #map(%arg4)
        affine.for %arg5 = 0 to min #map1(%0) {
          %2 = affine.apply #map2(%0, %arg5)
          affine.for %arg6 = 0 to min #map3(%1) {
            %3 = affine.apply #map2(%1, %arg6)
            affine.store %cst, %arg2[%2 * 14 + %3] : memref<140xf32>
            affine.for %arg7 = 0 to 24 {
              %4 = affine.load %arg0[%2 * 24 + %arg7] : memref<240xf32>
              %5 = affine.load %arg1[%arg7 * 14 + %3] : memref<336xf32>
              %6 = affine.load %arg2[%2 * 14 + %3] : memref<140xf32>
              %7 = arith.mulf %4, %5 : f32
              %8 = arith.addf %6, %7 : f32
              affine.store %8, %arg2[%2 * 14 + %3] : memref<140xf32>
            }
          }
        }
      }
    }
    return
  }
}

