#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<12x20xf32>, %arg1: memref<20x16xf32>, %arg2: memref<12x16xf32>) {
    affine.for %arg3 = 0 to 3 {
      %0 = affine.apply #map(%arg3)
      affine.for %arg4 = 0 to 4 {
        %1 = affine.apply #map(%arg4)
        affine.for %arg5 = 0 to 5 {
          %2 = affine.apply #map(%arg5)
          affine.for %arg6 = 0 to 4 {
            %3 = affine.apply #map1(%0, %arg6)
            affine.for %arg7 = 0 to 4 {
              %4 = affine.apply #map1(%1, %arg7)
              affine.for %arg8 = 0 to 4 {
                %5 = affine.apply #map1(%2, %arg8)
                %6 = affine.load %arg0[%3, %5] : memref<12x20xf32>
                %7 = affine.load %arg1[%5, %4] : memref<20x16xf32>
                %8 = affine.load %arg2[%3, %4] : memref<12x16xf32>
                %9 = arith.mulf %6, %7 : f32
                %10 = arith.addf %8, %9 : f32
                affine.store %10, %arg2[%3, %4] : memref<12x16xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

