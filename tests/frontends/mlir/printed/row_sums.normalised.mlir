#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0) -> (4, -d0 + 9)>
#map2 = affine_map<(d0, d1) -> (d0 + d1)>
#map3 = affine_map<(d0) -> (4, -d0 + 11)>
module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    affine.for %arg4 = 0 to 3 {
      %0 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 3 {
        %1 = affine.apply #map(%arg5)
        affine.for %arg6 = 0 to min #map1(%0) {
          %2 = affine.apply #map2(%0, %arg6)
          affine.for %arg7 = 0 to min #map3(%1) {
            %3 = affine.apply #map2(%1, %arg7)
            %4 = affine.load %arg0[%2, %3] : memref<9x11xf32>
            %5 = affine.load %arg1[%2] : memref<9xf32>
            %6 = affine.load %arg2[%2] : memref<9xf32>
            %7 = arith.addf %5, %4 : f32
            %8 = arith.maximumf %6, %4 : f32
            affine.store %7, %arg1[%2] : memref<9xf32>
            affine.store %8, %arg2[%2] : memref<9xf32>
          }
        }
      }
    }
    affine.for %arg4 = 0 to 3 {
      %0 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 3 {
        %1 = affine.apply #map(%arg5)
        affine.for %arg6 = 0 to min #map1(%0) {
          %2 = affine.apply #map2(%0, %arg6)
          affine.for %arg7 = 0 to min #map3(%1) {
            %3 = affine.apply #map2(%1, %arg7)
            %4 = arith.muli %2, %c100 : index
            %5 = arith.addi %4, %3 : index
            %6 = arith.index_cast %5 : index to i64
            affine.store %6, %arg3[%2, %3] : memref<9x11xi64>
          }
        }
      }
    }
    return
  }
}

