#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    affine.for %arg3 = 0 to 16 step 2 {
      affine.for %arg4 = 0 to 5 {
        %0 = affine.apply #map(%arg3, %arg4)
        %1 = affine.load %arg0[%0] : memref<20xf64>
        %2 = affine.load %arg1[%arg4] : memref<5xf64>
        %3 = affine.load %arg2[%arg3] : memref<16xf64>
        %4 = arith.mulf %1, %2 : f64
        %5 = arith.addf %3, %4 : f64
        affine.store %5, %arg2[%arg3] : memref<16xf64>
        %6 = affine.apply #map1(%arg3)
        %7 = affine.apply #map(%6, %arg4)
        %8 = affine.load %arg0[%7] : memref<20xf64>
        %9 = affine.load %arg1[%arg4] : memref<5xf64>
        %10 = affine.load %arg2[%6] : memref<16xf64>
        %11 = arith.mulf %8, %9 : f64
        %12 = arith.addf %10, %11 : f64
        affine.store %12, %arg2[%6] : memref<16xf64>
      }
    }
    return
  }
}

