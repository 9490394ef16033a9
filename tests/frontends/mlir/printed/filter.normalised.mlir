#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
#map2 = affine_map<(d0) -> (4, -d0 + 5)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    affine.for %arg3 = 0 to 4 {
      %0 = affine.apply #map(%arg3)
      affine.for %arg4 = 0 to 2 {
        %1 = affine.apply #map(%arg4)
        affine.for %arg5 = 0 to 4 {
          %2 = affine.apply #map1(%0, %arg5)
          affine.for %arg6 = 0 to min #map2(%1) {
            %3 = affine.apply #map1(%1, %arg6)
            %4 = affine.apply #map1(%2, %3)
            %5 = affine.load %arg0[%4] : memref<20xf64>
            %6 = affine.load %arg1[%3] : memref<5xf64>
            %7 = affine.load %arg2[%2] : memref<16xf64>
            %8 = arith.mulf %5, %6 : f64
            %9 = arith.addf %7, %8 : f64
            affine.store %9, %arg2[%2] : memref<16xf64>
          }
        }
      }
    }
    return
  }
}

