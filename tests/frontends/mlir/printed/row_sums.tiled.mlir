#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4, 9)>
#map2 = affine_map<(d0) -> (d0 + 4, 11)>
module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    affine.for %arg4 = 0 to 9 step 4 {
      affine.for %arg5 = 0 to 11 step 4 {
        affine.for %arg6 = #map(%arg4) to min #map1(%arg4) {
          affine.for %arg7 = #map(%arg5) to min #map2(%arg5) {
            %0 = affine.load %arg0[%arg6, %arg7] : memref<9x11xf32>
            %1 = affine.load %arg1[%arg6] : memref<9xf32>
            %2 = affine.load %arg2[%arg6] : memref<9xf32>
            %3 = arith.addf %1, %0 : f32
            %4 = arith.maximumf %2, %0 : f32
            affine.store %3, %arg1[%arg6] : memref<9xf32>
            affine.store %4, %arg2[%arg6] : memref<9xf32>
          }
        }
      }
    }
    affine.for %arg4 = 0 to 9 step 4 {
      affine.for %arg5 = 0 to 11 step 4 {
        affine.for %arg6 = #map(%arg4) to min #map1(%arg4) {
          affine.for %arg7 = #map(%arg5) to min #map2(%arg5) {
            %0 = arith.muli %arg6, %c100 : index
            %1 = arith.addi %0, %arg7 : index
            %2 = arith.index_cast %1 : index to i64
            affine.store %2, %arg3[%arg6, %arg7] : memref<9x11xi64>
          }
        }
      }
    }
    return
  }
}

