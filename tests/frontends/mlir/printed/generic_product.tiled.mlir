#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 6)>
#map2 = affine_map<(d0) -> (d0 + 4)>
#map3 = affine_map<(d0) -> (d0 + 4, 10)>
module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    affine.for %arg3 = 0 to 6 step 4 {
      affine.for %arg4 = 0 to 8 step 4 {
        affine.for %arg5 = 0 to 10 step 4 {
          affine.for %arg6 = #map(%arg3) to min #map1(%arg3) {
            affine.for %arg7 = #map(%arg4) to #map2(%arg4) {
              affine.for %arg8 = #map(%arg5) to min #map3(%arg5) {
                %0 = affine.load %arg0[%arg8, %arg6] : memref<10x6xbf16>
                %1 = affine.load %arg1[%arg8, %arg7] : memref<10x8xbf16>
                %2 = affine.load %arg2[%arg6, %arg7] : memref<6x8xf32>
                %3 = arith.extf %0 : bf16 to f32
                %4 = arith.extf %1 : bf16 to f32
                %5 = arith.mulf %3, %4 : f32
                %6 = arith.addf %2, %5 : f32
                affine.store %6, %arg2[%arg6, %arg7] : memref<6x8xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

