#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
#map2 = affine_map<(d0) -> (4, -d0 + 13)>
module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    affine.for %arg5 = 0 to 2 {
      %0 = affine.apply #map(%arg5)
      affine.for %arg6 = 0 to 4 {
        %1 = affine.apply #map(%arg6)
        affine.for %arg7 = 0 to 4 {
          %2 = affine.apply #map1(%0, %arg7)
          affine.for %arg8 = 0 to min #map2(%1) {
            %3 = affine.apply #map1(%1, %arg8)
            %4 = affine.load %arg0[%2, %3] : memref<8x13xf64>
            %5 = affine.load %arg1[%3] : memref<13xf64>
            %6 = affine.load %arg2[%2] : memref<8xf64>
            %7 = arith.mulf %4, %5 : f64
            %8 = arith.addf %6, %7 : f64
            affine.store %8, %arg2[%2] : memref<8xf64>
          }
        }
      }
    }
    affine.for %arg5 = 0 to 4 {
      %0 = affine.apply #map(%arg5)
      affine.for %arg6 = 0 to 2 {
        %1 = affine.apply #map(%arg6)
        affine.for %arg7 = 0 to min #map2(%0) {
          %2 = affine.apply #map1(%0, %arg7)
          affine.for %arg8 = 0 to 4 {
            %3 = affine.apply #map1(%1, %arg8)
            %4 = affine.load %arg2[%3] : memref<8xf64>
            %5 = affine.load %arg0[%3, %2] : memref<8x13xf64>
            %6 = affine.load %arg3[%2] : memref<13xf64>
            %7 = arith.mulf %4, %5 : f64
            %8 = arith.addf %6, %7 : f64
            affine.store %8, %arg3[%2] : memref<13xf64>
          }
        }
      }
    }
    affine.for %arg5 = 0 to 4 {
      %0 = affine.apply #map(%arg5)
      affine.for %arg6 = 0 to min #map2(%0) {
        %1 = affine.apply #map1(%0, %arg6)
        %2 = affine.load %arg1[%1] : memref<13xf64>
        %3 = affine.load %arg3[%1] : memref<13xf64>
        %4 = affine.load %arg4[] : memref<f64>
        %5 = arith.mulf %2, %3 : f64
        %6 = arith.addf %4, %5 : f64
        affine.store %6, %arg4[] : memref<f64>
      }
    }
    return
  }
}

