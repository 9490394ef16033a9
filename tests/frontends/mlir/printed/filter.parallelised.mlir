#map = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    affine.parallel (%arg3) = (0) to (16) {
      affine.for %arg4 = 0 to 5 {
        %0 = affine.apply #map(%arg3, %arg4)
        %1 = affine.load %arg0[%0] : memref<20xf64>
        %2 = affine.load %arg1[%arg4] : memref<5xf64>
        %3 = affine.load %arg2[%arg3] : memref<16xf64>
        %4 = arith.mulf %1, %2 : f64
        %5 = arith.addf %3, %4 : f64
        affine.store %5, %arg2[%arg3] : memref<16xf64>
      }
    }
    return
  }
}

