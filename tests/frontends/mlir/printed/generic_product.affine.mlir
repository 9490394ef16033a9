module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    affine.for %arg3 = 0 to 6 {
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
        }
      }
    }
    return
  }
}

