#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 12 step 4 {
        affine.store %cst, %arg3[%arg4, %arg5] : memref<10x14xf32>
        %0 = affine.apply #map(%arg5)
        affine.store %cst, %arg3[%arg4, %0] : memref<10x14xf32>
        %1 = affine.apply #map1(%arg5)
        affine.store %cst, %arg3[%arg4, %1] : memref<10x14xf32>
        %2 = affine.apply #map2(%arg5)
        affine.store %cst, %arg3[%arg4, %2] : memref<10x14xf32>
      }
      affine.for %arg5 = 12 to 14 {
        affine.store %cst, %arg3[%arg4, %arg5] : memref<10x14xf32>
      }
    }
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 14 {
        affine.for %arg6 = 0 to 12 step 4 {
          %0 = affine.load %arg0[%arg4, %arg6] : memref<10x12xf32>
          %1 = affine.load %arg1[%arg6, %arg5] : memref<12x14xf32>
          %2 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg3[%arg4, %arg5] : memref<10x14xf32>
          %5 = affine.apply #map(%arg6)
          %6 = affine.load %arg0[%arg4, %5] : memref<10x12xf32>
          %7 = affine.load %arg1[%5, %arg5] : memref<12x14xf32>
          %8 = arith.mulf %6, %7 : f32
          %9 = arith.addf %4, %8 : f32
          affine.store %9, %arg3[%arg4, %arg5] : memref<10x14xf32>
          %10 = affine.apply #map1(%arg6)
          %11 = affine.load %arg0[%arg4, %10] : memref<10x12xf32>
          %12 = affine.load %arg1[%10, %arg5] : memref<12x14xf32>
          %13 = arith.mulf %11, %12 : f32
          %14 = arith.addf %9, %13 : f32
          affine.store %14, %arg3[%arg4, %arg5] : memref<10x14xf32>
          %15 = affine.apply #map2(%arg6)
          %16 = affine.load %arg0[%arg4, %15] : memref<10x12xf32>
          %17 = affine.load %arg1[%15, %arg5] : memref<12x14xf32>
          %18 = arith.mulf %16, %17 : f32
          %19 = arith.addf %14, %18 : f32
          affine.store %19, %arg3[%arg4, %arg5] : memref<10x14xf32>
        }
      }
    }
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 12 step 4 {
        %0 = affine.load %arg2[%arg5] : memref<14xf32>
        %1 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
        %2 = arith.addf %1, %0 : f32
        %3 = arith.maximumf %2, %cst : f32
        affine.store %3, %arg3[%arg4, %arg5] : memref<10x14xf32>
        %4 = affine.apply #map(%arg5)
        %5 = affine.load %arg2[%4] : memref<14xf32>
        %6 = affine.load %arg3[%arg4, %4] : memref<10x14xf32>
        %7 = arith.addf %6, %5 : f32
        %8 = arith.maximumf %7, %cst : f32
        affine.store %8, %arg3[%arg4, %4] : memref<10x14xf32>
        %9 = affine.apply #map1(%arg5)
        %10 = affine.load %arg2[%9] : memref<14xf32>
        %11 = affine.load %arg3[%arg4, %9] : memref<10x14xf32>
        %12 = arith.addf %11, %10 : f32
        %13 = arith.maximumf %12, %cst : f32
        affine.store %13, %arg3[%arg4, %9] : memref<10x14xf32>
        %14 = affine.apply #map2(%arg5)
        %15 = affine.load %arg2[%14] : memref<14xf32>
        %16 = affine.load %arg3[%arg4, %14] : memref<10x14xf32>
        %17 = arith.addf %16, %15 : f32
        %18 = arith.maximumf %17, %cst : f32
        affine.store %18, %arg3[%arg4, %14] : memref<10x14xf32>
      }
      affine.for %arg5 = 12 to 14 {
        %0 = affine.load %arg2[%arg5] : memref<14xf32>
        %1 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
        %2 = arith.addf %1, %0 : f32
        %3 = arith.maximumf %2, %cst : f32
        affine.store %3, %arg3[%arg4, %arg5] : memref<10x14xf32>
      }
    }
    return
  }
}

