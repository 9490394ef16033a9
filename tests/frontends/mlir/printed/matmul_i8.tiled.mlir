#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 9)>
#map2 = affine_map<(d0) -> (d0 + 4, 11)>
#map3 = affine_map<(d0) -> (d0 + 4, 14)>
module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    affine.for %arg3 = 0 to 9 step 4 {
      affine.for %arg4 = 0 to 11 step 4 {
        affine.for %arg5 = 0 to 14 step 4 {
          affine.for %arg6 = #map(%arg3) to min #map1(%arg3) {
            affine.for %arg7 = #map(%arg4) to min #map2(%arg4) {
              affine.for %arg8 = #map(%arg5) to min #map3(%arg5) {
                %0 = affine.load %arg0[%arg6, %arg8] : memref<9x14xi8>
                %1 = affine.load %arg1[%arg8, %arg7] : memref<14x11xi8>
                %2 = affine.load %arg2[%arg6, %arg7] : memref<9x11xi32>
                %3 = arith.extsi %0 : i8 to i32
                %4 = arith.extsi %1 : i8 to i32
                %5 = arith.muli %3, %4 : i32
                %6 = arith.addi %2, %5 : i32
                affine.store %6, %arg2[%arg6, %arg7] : memref<9x11xi32>
              }
            }
          }
        }
      }
    }
    return
  }
}

