#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 10)>
#map2 = affine_map<(d0) -> (d0 + 4, 14)>
#map3 = affine_map<(d0) -> (d0 + 4)>
module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg4 = 0 to 10 step 4 {
      affine.for %arg5 = 0 to 14 step 4 {
        affine.for %arg6 = #map(%arg4) to min #map1(%arg4) {
          affine.for %arg7 = #map(%arg5) to min #map2(%arg5) {
            affine.store %cst, %arg3[%arg6, %arg7] : memref<10x14xf32>
          }
        }
      }
    }
    affine.for %arg4 = 0 to 10 step 4 {
      affine.for %arg5 = 0 to 14 step 4 {
        affine.for %arg6 = 0 to 12 step 4 {
          affine.for %arg7 = #map(%arg4) to min #map1(%arg4) {
            affine.for %arg8 = #map(%arg5) to min #map2(%arg5) {
              affine.for %arg9 = #map(%arg6) to #map3(%arg6) {
                %0 = affine.load %arg0[%arg7, %arg9] : memref<10x12xf32>
                %1 = affine.load %arg1[%arg9, %arg8] : memref<12x14xf32>
                %2 = affine.load %arg3[%arg7, %arg8] : memref<10x14xf32>
                %3 = arith.mulf %0, %1 : f32
                %4 = arith.addf %2, %3 : f32
                affine.store %4, %arg3[%arg7, %arg8] : memref<10x14xf32>
              }
            }
          }
        }
      }
    }
    affine.for %arg4 = 0 to 10 step 4 {
      affine.for %arg5 = 0 to 14 step 4 {
        affine.for %arg6 = #map(%arg4) to min #map1(%arg4) {
          affine.for %arg7 = #map(%arg5) to min #map2(%arg5) {
            %0 = affine.load %arg2[%arg7] : memref<14xf32>
            %1 = affine.load %arg3[%arg6, %arg7] : memref<10x14xf32>
            %2 = arith.addf %1, %0 : f32
            %3 = arith.maximumf %2, %cst : f32
            affine.store %3, %arg3[%arg6, %arg7] : memref<10x14xf32>
          }
        }
      }
    }
    return
  }
}

