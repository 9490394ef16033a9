#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 10)>
#map2 = affine_map<(d0) -> (d0 + 4)>
#map3 = affine_map<(d0) -> (d0 + 4, 6)>
#map4 = affine_map<(d0) -> (d0 + 4, 7)>
module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    affine.for %arg5 = 0 to 10 step 4 {
      affine.for %arg6 = 0 to 8 step 4 {
        affine.for %arg7 = 0 to 6 step 4 {
          affine.for %arg8 = #map(%arg5) to min #map1(%arg5) {
            affine.for %arg9 = #map(%arg6) to #map2(%arg6) {
              affine.for %arg10 = #map(%arg7) to min #map3(%arg7) {
                %0 = affine.load %arg0[%arg10, %arg8] : memref<6x10xf32>
                %1 = affine.load %arg1[%arg10, %arg9] : memref<6x8xf32>
                %2 = affine.load %arg2[%arg8, %arg9] : memref<10x8xf32>
                %3 = arith.mulf %0, %1 : f32
                %4 = arith.addf %2, %3 : f32
                affine.store %4, %arg2[%arg8, %arg9] : memref<10x8xf32>
              }
            }
          }
        }
      }
    }
    affine.for %arg5 = 0 to 10 step 4 {
      affine.for %arg6 = 0 to 7 step 4 {
        affine.for %arg7 = 0 to 8 step 4 {
          affine.for %arg8 = #map(%arg5) to min #map1(%arg5) {
            affine.for %arg9 = #map(%arg6) to min #map4(%arg6) {
              affine.for %arg10 = #map(%arg7) to #map2(%arg7) {
                %0 = affine.load %arg2[%arg8, %arg10] : memref<10x8xf32>
                %1 = affine.load %arg3[%arg9, %arg10] : memref<7x8xf32>
                %2 = affine.load %arg4[%arg8, %arg9] : memref<10x7xf32>
                %3 = arith.mulf %0, %1 : f32
                %4 = arith.addf %2, %3 : f32
                affine.store %4, %arg4[%arg8, %arg9] : memref<10x7xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

