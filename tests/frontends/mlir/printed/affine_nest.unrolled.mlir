#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<16x16xf32>, %arg1: memref<16x16xf32>, %arg2: memref<16x16xf32>) {
    %c15 = arith.constant 15 : index
    affine.for %arg3 = 0 to 16 {
      affine.for %arg4 = 0 to 16 {
        affine.for %arg5 = 0 to 15 step 3 {
          %5 = affine.load %arg0[%arg3, %arg5] : memref<16x16xf32>
          %6 = affine.load %arg1[%arg5, %arg4] : memref<16x16xf32>
          %7 = affine.load %arg2[%arg3, %arg4] : memref<16x16xf32>
          %8 = arith.mulf %5, %6 : f32
          %9 = arith.addf %7, %8 : f32
          affine.store %9, %arg2[%arg3, %arg4] : memref<16x16xf32>
          %10 = affine.apply #map(%arg5)
          %11 = affine.load %arg0[%arg3, %10] : memref<16x16xf32>
          %12 = affine.load %arg1[%10, %arg4] : memref<16x16xf32>
          %13 = affine.load %arg2[%arg3, %arg4] : memref<16x16xf32>
          %14 = arith.mulf %11, %12 : f32
          %15 = arith.addf %13, %14 : f32
          affine.store %15, %arg2[%arg3, %arg4] : memref<16x16xf32>
          %16 = affine.apply #map1(%arg5)
          %17 = affine.load %arg0[%arg3, %16] : memref<16x16xf32>
          %18 = affine.load %arg1[%16, %arg4] : memref<16x16xf32>
          %19 = affine.load %arg2[%arg3, %arg4] : memref<16x16xf32>
          %20 = arith.mulf %17, %18 : f32
          %21 = arith.addf %19, %20 : f32
          affine.store %21, %arg2[%arg3, %arg4] : memref<16x16xf32>
        }
        %0 = affine.load %arg0[%arg3, %c15] : memref<16x16xf32>
        %1 = affine.load %arg1[%c15, %arg4] : memref<16x16xf32>
        %2 = affine.load %arg2[%arg3, %arg4] : memref<16x16xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg3, %arg4] : memref<16x16xf32>
      }
    }
    return
  }
}

