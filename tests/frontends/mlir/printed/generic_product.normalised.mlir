#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0) -> (4, -d0 + 6)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0) -> (4, -d0 + 10)>
module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    affine.for %arg3 = 0 to 2 {
      %0 = affine.apply #map(%arg3)
      affine.for %arg4 = 0 to 2 {
        %1 = affine.apply #map(%arg4)
        affine.for %arg5 = 0 to 3 {
          %2 = affine.apply #map(%arg5)
          affine.for %arg6 = 0 to min #map1(%0) {
            %3 = affine.apply #map2(%0, %arg6)
            affine.for %arg7 = 0 to 4 {
              %4 = affine.apply #map2(%1, %arg7)
              affine.for %arg8 = 0 to min #map3(%2) {
                %5 = affine.apply #map2(%2, %arg8)
                %6 = affine.load %arg0[%5, %3] : memref<10x6xbf16>
                %7 = affine.load %arg1[%5, %4] : memref<10x8xbf16>
                %8 = affine.load %arg2[%3, %4] : memref<6x8xf32>
                %9 = arith.extf %6 : bf16 to f32
                %10 = arith.extf %7 : bf16 to f32
                %11 = arith.mulf %9, %10 : f32
                %12 = arith.addf %8, %11 : f32
                affine.store %12, %arg2[%3, %4] : memref<6x8xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

