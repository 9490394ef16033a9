#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @f(%arg0: memref<12x20xf32>, %arg1: memref<20x16xf32>, %arg2: memref<12x16xf32>) {
    affine.for %arg3 = 0 to 12 step 2 {
      affine.for %arg4 = 0 to 16 {
        affine.for %arg5 = 0 to 20 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<12x20xf32>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<20x16xf32>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<12x16xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg3, %arg4] : memref<12x16xf32>
          %5 = affine.apply #map(%arg3)
          %6 = affine.load %arg0[%5, %arg5] : memref<12x20xf32>
          %7 = affine.load %arg1[%arg5, %arg4] : memref<20x16xf32>
          %8 = affine.load %arg2[%5, %arg4] : memref<12x16xf32>
          %9 = arith.mulf %6, %7 : f32
          %10 = arith.addf %8, %9 : f32
          affine.store %10, %arg2[%5, %arg4] : memref<12x16xf32>
        }
      }
    }
    return
  }
}

