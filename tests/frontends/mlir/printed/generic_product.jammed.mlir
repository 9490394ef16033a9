#map = affine_map<(d0) -> (d0 + 1)>
module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    affine.for %arg3 = 0 to 6 step 2 {
      affine.for %arg4 = 0 to 8 {
        affine.for %arg5 = 0 to 10 {
          %0 = affine.load %arg0[%arg5, %arg3] : memref<10x6xbf16>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<10x8xbf16>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<6x8xf32>
          %3 = arith.extf %0 : bf16 to f32
          %4 = arith.extf %1 : bf16 to f32
          %5 = arith.mulf %3, %4 : f32
          %6 = arith.addf %2, %5 : f32
          affine.store %6, %arg2[%arg3, %arg4] : memref<6x8xf32>
          %7 = affine.apply #map(%arg3)
          %8 = affine.load %arg0[%arg5, %7] : memref<10x6xbf16>
          %9 = affine.load %arg1[%arg5, %arg4] : memref<10x8xbf16>
          %10 = affine.load %arg2[%7, %arg4] : memref<6x8xf32>
          %11 = arith.extf %8 : bf16 to f32
          %12 = arith.extf %9 : bf16 to f32
          %13 = arith.mulf %11, %12 : f32
          %14 = arith.addf %10, %13 : f32
          affine.store %14, %arg2[%7, %arg4] : memref<6x8xf32>
        }
      }
    }
    return
  }
}

