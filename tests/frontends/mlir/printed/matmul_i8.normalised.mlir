#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0) -> (4, -d0 + 9)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0) -> (4, -d0 + 11)>
#map4 = affine_map<(d0) -> (4, -d0 + 14)>
module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    affine.for %arg3 = 0 to 3 {
      %0 = affine.apply #map(%arg3)
      affine.for %arg4 = 0 to 3 {
        %1 = affine.apply #map(%arg4)
        affine.for %arg5 = 0 to 4 {
          %2 = affine.apply #map(%arg5)
          affine.for %arg6 = 0 to min #map1(%0) {
            %3 = affine.apply #map2(%0, %arg6)
            affine.for %arg7 = 0 to min #map3(%1) {
              %4 = affine.apply #map2(%1, %arg7)
              affine.for %arg8 = 0 to min #map4(%2) {
                %5 = affine.apply #map2(%2, %arg8)
                %6 = affine.load %arg0[%3, %5] : memref<9x14xi8>
                %7 = affine.load %arg1[%5, %4] : memref<14x11xi8>
                %8 = affine.load %arg2[%3, %4] : memref<9x11xi32>
                %9 = arith.extsi %6 : i8 to i32
                %10 = arith.extsi %7 : i8 to i32
                %11 = arith.muli %9, %10 : i32
                %12 = arith.addi %8, %11 : i32
                affine.store %12, %arg2[%3, %4] : memref<9x11xi32>
              }
            }
          }
        }
      }
    }
    return
  }
}

