#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0) -> (4, -d0 + 10)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0) -> (4, -d0 + 14)>
module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg4 = 0 to 3 {
      %0 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 4 {
        %1 = affine.apply #map(%arg5)
        affine.for %arg6 = 0 to min #map1(%0) {
          %2 = affine.apply #map2(%0, %arg6)
          affine.for %arg7 = 0 to min #map3(%1) {
            %3 = affine.apply #map2(%1, %arg7)
            affine.store %cst, %arg3[%2, %3] : memref<10x14xf32>
          }
        }
      }
    }
    affine.for %arg4 = 0 to 3 {
      %0 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 4 {
        %1 = affine.apply #map(%arg5)
        affine.for %arg6 = 0 to 3 {
          %2 = affine.apply #map(%arg6)
          affine.for %arg7 = 0 to min #map1(%0) {
            %3 = affine.apply #map2(%0, %arg7)
            affine.for %arg8 = 0 to min #map3(%1) {
              %4 = affine.apply #map2(%1, %arg8)
              affine.for %arg9 = 0 to 4 {
                %5 = affine.apply #map2(%2, %arg9)
                %6 = affine.load %arg0[%3, %5] : memref<10x12xf32>
                %7 = affine.load %arg1[%5, %4] : memref<12x14xf32>
                %8 = affine.load %arg3[%3, %4] : memref<10x14xf32>
                %9 = arith.mulf %6, %7 : f32
                %10 = arith.addf %8, %9 : f32
                affine.store %10, %arg3[%3, %4] : memref<10x14xf32>
              }
            }
          }
        }
      }
    }
    affine.for %arg4 = 0 to 3 {
      %0 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 4 {
        %1 = affine.apply #map(%arg5)
        affine.for %arg6 = 0 to min #map1(%0) {
          %2 = affine.apply #map2(%0, %arg6)
          affine.for %arg7 = 0 to min #map3(%1) {
            %3 = affine.apply #map2(%1, %arg7)
            %4 = affine.load %arg2[%3] : memref<14xf32>
            %5 = affine.load %arg3[%2, %3] : memref<10x14xf32>
            %6 = arith.addf %5, %4 : f32
            %7 = arith.maximumf %6, %cst : f32
            affine.store %7, %arg3[%2, %3] : memref<10x14xf32>
          }
        }
      }
    }
    return
  }
}

