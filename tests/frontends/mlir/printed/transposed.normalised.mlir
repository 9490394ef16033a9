#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0) -> (4, -d0 + 10)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0) -> (4, -d0 + 6)>
#map4 = affine_map<(d0) -> (4, -d0 + 7)>
module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    affine.for %arg5 = 0 to 3 {
      %0 = affine.apply #map(%arg5)
      affine.for %arg6 = 0 to 2 {
        %1 = affine.apply #map(%arg6)
        affine.for %arg7 = 0 to 2 {
          %2 = affine.apply #map(%arg7)
          affine.for %arg8 = 0 to min #map1(%0) {
            %3 = affine.apply #map2(%0, %arg8)
            affine.for %arg9 = 0 to 4 {
              %4 = affine.apply #map2(%1, %arg9)
              affine.for %arg10 = 0 to min #map3(%2) {
                %5 = affine.apply #map2(%2, %arg10)
                %6 = affine.load %arg0[%5, %3] : memref<6x10xf32>
                %7 = affine.load %arg1[%5, %4] : memref<6x8xf32>
                %8 = affine.load %arg2[%3, %4] : memref<10x8xf32>
                %9 = arith.mulf %6, %7 : f32
                %10 = arith.addf %8, %9 : f32
                affine.store %10, %arg2[%3, %4] : memref<10x8xf32>
              }
            }
          }
        }
      }
    }
    affine.for %arg5 = 0 to 3 {
      %0 = affine.apply #map(%arg5)
      affine.for %arg6 = 0 to 2 {
        %1 = affine.apply #map(%arg6)
        affine.for %arg7 = 0 to 2 {
          %2 = affine.apply #map(%arg7)
          affine.for %arg8 = 0 to min #map1(%0) {
            %3 = affine.apply #map2(%0, %arg8)
            affine.for %arg9 = 0 to min #map4(%1) {
              %4 = affine.apply #map2(%1, %arg9)
              affine.for %arg10 = 0 to 4 {
                %5 = affine.apply #map2(%2, %arg10)
                %6 = affine.load %arg2[%3, %5] : memref<10x8xf32>
                %7 = affine.load %arg3[%4, %5] : memref<7x8xf32>
                %8 = affine.load %arg4[%3, %4] : memref<10x7xf32>
                %9 = arith.mulf %6, %7 : f32
                %10 = arith.addf %8, %9 : f32
                affine.store %10, %arg4[%3, %4] : memref<10x7xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

