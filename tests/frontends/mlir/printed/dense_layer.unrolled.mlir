#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 12 step 3 {
        affine.store %cst, %arg3[%arg4, %arg5] : memref<10x14xf32>
        %0 = affine.apply #map(%arg5)
        affine.store %cst, %arg3[%arg4, %0] : memref<10x14xf32>
        %1 = affine.apply #map1(%arg5)
        affine.store %cst, %arg3[%arg4, %1] : memref<10x14xf32>
      }
      affine.for %arg5 = 12 to 14 {
        affine.store %cst, %arg3[%arg4, %arg5] : memref<10x14xf32>
      }
    }
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 14 {
        affine.for %arg6 = 0 to 12 step 3 {
          %0 = affine.load %arg0[%arg4, %arg6] : memref<10x12xf32>
          %1 = affine.load %arg1[%arg6, %arg5] : memref<12x14xf32>
          %2 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg3[%arg4, %arg5] : memref<10x14xf32>
          %5 = affine.apply #map(%arg6)
          %6 = affine.load %arg0[%arg4, %5] : memref<10x12xf32>
          %7 = affine.load %arg1[%5, %arg5] : memref<12x14xf32>
          %8 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
          %9 = arith.mulf %6, %7 : f32
          %10 = arith.addf %8, %9 : f32
          affine.store %10, %arg3[%arg4, %arg5] : memref<10x14xf32>
          %11 = affine.apply #map1(%arg6)
          %12 = affine.load %arg0[%arg4, %11] : memref<10x12xf32>
          %13 = affine.load %arg1[%11, %arg5] : memref<12x14xf32>
          %14 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
          %15 = arith.mulf %12, %13 : f32
          %16 = arith.addf %14, %15 : f32
          affine.store %16, %arg3[%arg4, %arg5] : memref<10x14xf32>
        }
      }
    }
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 12 step 3 {
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

