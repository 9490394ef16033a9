#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4)>
#map2 = affine_map<(d0) -> (d0 + 4, 13)>
module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    affine.for %arg5 = 0 to 8 step 4 {
      affine.for %arg6 = 0 to 13 step 4 {
        affine.for %arg7 = #map(%arg5) to #map1(%arg5) {
          affine.for %arg8 = #map(%arg6) to min #map2(%arg6) {
            %0 = affine.load %arg0[%arg7, %arg8] : memref<8x13xf64>
            %1 = affine.load %arg1[%arg8] : memref<13xf64>
            %2 = affine.load %arg2[%arg7] : memref<8xf64>
            %3 = arith.mulf %0, %1 : f64
            %4 = arith.addf %2, %3 : f64
            affine.store %4, %arg2[%arg7] : memref<8xf64>
          }
        }
      }
    }
    affine.for %arg5 = 0 to 13 step 4 {
      affine.for %arg6 = 0 to 8 step 4 {
        affine.for %arg7 = #map(%arg5) to min #map2(%arg5) {
          affine.for %arg8 = #map(%arg6) to #map1(%arg6) {
            %0 = affine.load %arg2[%arg8] : memref<8xf64>
            %1 = affine.load %arg0[%arg8, %arg7] : memref<8x13xf64>
            %2 = affine.load %arg3[%arg7] : memref<13xf64>
            %3 = arith.mulf %0, %1 : f64
            %4 = arith.addf %2, %3 : f64
            affine.store %4, %arg3[%arg7] : memref<13xf64>
          }
        }
      }
    }
    affine.for %arg5 = 0 to 13 step 4 {
      affine.for %arg6 = #map(%arg5) to min #map2(%arg5) {
        %0 = affine.load %arg1[%arg6] : memref<13xf64>
        %1 = affine.load %arg3[%arg6] : memref<13xf64>
        %2 = affine.load %arg4[] : memref<f64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        affine.store %4, %arg4[] : memref<f64>
      }
    }
    return
  }
}

