#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg3 = 0 to 10 {
      affine.for %arg4 = 0 to 14 {
        affine.store %cst, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
        affine.for %arg5 = 0 to 24 step 3 {
          %0 = affine.load %arg0[%arg3 * 24 + %arg5] : memref<240xf32>
          %1 = affine.load %arg1[%arg5 * 14 + %arg4] : memref<336xf32>
          %2 = affine.load %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %5 = affine.apply #map(%arg5)
          %6 = affine.load %arg0[%arg3 * 24 + %5] : memref<240xf32>
          %7 = affine.load %arg1[%5 * 14 + %arg4] : memref<336xf32>
          %8 = affine.load %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %9 = arith.mulf %6, %7 : f32
          %10 = arith.addf %8, %9 : f32
          affine.store %10, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %11 = affine.apply #map1(%arg5)
          %12 = affine.load %arg0[%arg3 * 24 + %11] : memref<240xf32>
          %13 = affine.load %arg1[%11 * 14 + %arg4] : memref<336xf32>
          %14 = affine.load %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %15 = arith.mulf %12, %13 : f32
          %16 = arith.addf %14, %15 : f32
          affine.store %16, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
        }
      }
    }
    return
  }
}

