module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    affine.for %arg5 = 0 to 10 {
      affine.for %arg6 = 0 to 8 {
        affine.for %arg7 = 0 to 6 {
          %0 = affine.load %arg0[%arg7, %arg5] : memref<6x10xf32>
          %1 = affine.load %arg1[%arg7, %arg6] : memref<6x8xf32>
          %2 = affine.load %arg2[%arg5, %arg6] : memref<10x8xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg5, %arg6] : memref<10x8xf32>
        }
      }
      affine.for %arg6 = 0 to 7 {
        affine.for %arg7 = 0 to 8 {
          %0 = affine.load %arg2[%arg5, %arg7] : memref<10x8xf32>
          %1 = affine.load %arg3[%arg6, %arg7] : memref<7x8xf32>
          %2 = affine.load %arg4[%arg5, %arg6] : memref<10x7xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg4[%arg5, %arg6] : memref<10x7xf32>
        }
      }
    }
    return
  }
}

