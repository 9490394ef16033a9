#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg3 = 0 to 10 {
      affine.for %arg4 = 0 to 14 {
        affine.store %cst, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
        affine.for %arg5 = 0 to 24 step 4 {
          %0 = affine.load %arg0[%arg3 * 24 + %arg5] : memref<240xf32>
          %1 = affine.load %arg1[%arg5 * 14 + %arg4] : memref<336xf32>
          %2 = affine.load %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %5 = affine.apply #map(%arg5)
          %6 = affine.load %arg0[%arg3 * 24 + %5] : memref<240xf32>
          %7 = affine.load %arg1[%5 * 14 + %arg4] : memref<336xf32>
          %8 = arith.mulf %6, %7 : f32
          %9 = arith.addf %4, %8 : f32
          affine.store %9, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %10 = affine.apply #map1(%arg5)
          %11 = affine.load %arg0[%arg3 * 24 + %10] : memref<240xf32>
          %12 = affine.load %arg1[%10 * 14 + %arg4] : memref<336xf32>
          %13 = arith.mulf %11, %12 : f32
          %14 = arith.addf %9, %13 : f32
          affine.store %14, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
          %15 = affine.apply #map2(%arg5)
          %16 = affine.load %arg0[%arg3 * 24 + %15] : memref<240xf32>
          %17 = affine.load %arg1[%15 * 14 + %arg4] : memref<336xf32>
          %18 = arith.mulf %16, %17 : f32
          %19 = arith.addf %14, %18 : f32
          affine.store %19, %arg2[%arg3 * 14 + %arg4] : memref<140xf32>
        }
      }
    }
    return
  }
}

