#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4)>
#map2 = affine_map<(d0) -> (d0 + 4, 5)>
#map3 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    affine.for %arg3 = 0 to 16 step 4 {
      affine.for %arg4 = 0 to 5 step 4 {
        affine.for %arg5 = #map(%arg3) to #map1(%arg3) {
          affine.for %arg6 = #map(%arg4) to min #map2(%arg4) {
            %0 = affine.apply #map3(%arg5, %arg6)
            %1 = affine.load %arg0[%0] : memref<20xf64>
            %2 = affine.load %arg1[%arg6] : memref<5xf64>
            %3 = affine.load %arg2[%arg5] : memref<16xf64>
            %4 = arith.mulf %1, %2 : f64
            %5 = arith.addf %3, %4 : f64
            affine.store %5, %arg2[%arg5] : memref<16xf64>
          }
        }
      }
    }
    return
  }
}

