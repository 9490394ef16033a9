module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    affine.for %arg4 = 0 to 10 {
      affine.for %arg5 = 0 to 14 {
        affine.store %cst, %arg3[%arg4, %arg5] : memref<10x14xf32>
        affine.for %arg6 = 0 to 12 {
          %4 = affine.load %arg0[%arg4, %arg6] : memref<10x12xf32>
          %5 = affine.load %arg1[%arg6, %arg5] : memref<12x14xf32>
          %6 = affine.load %arg3[%arg4, %arg5] : memref<10x14xf32>
          %7 = arith.mulf %4, %5 : f32
          %8 = arith.addf %6, %7 : f32
          affine.store %8, %arg3[%arg4, %arg5] : memref<10x14xf32>
        }
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

