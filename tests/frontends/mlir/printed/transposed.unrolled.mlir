#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    affine.for %arg5 = 0 to 10 {
      affine.for %arg6 = 0 to 8 {
        affine.for %arg7 = 0 to 6 step 3 {
          %0 = affine.load %arg0[%arg7, %arg5] : memref<6x10xf32>
          %1 = affine.load %arg1[%arg7, %arg6] : memref<6x8xf32>
          %2 = affine.load %arg2[%arg5, %arg6] : memref<10x8xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg2[%arg5, %arg6] : memref<10x8xf32>
          %5 = affine.apply #map(%arg7)
          %6 = affine.load %arg0[%5, %arg5] : memref<6x10xf32>
          %7 = affine.load %arg1[%5, %arg6] : memref<6x8xf32>
          %8 = affine.load %arg2[%arg5, %arg6] : memref<10x8xf32>
          %9 = arith.mulf %6, %7 : f32
          %10 = arith.addf %8, %9 : f32
          affine.store %10, %arg2[%arg5, %arg6] : memref<10x8xf32>
          %11 = affine.apply #map1(%arg7)
          %12 = affine.load %arg0[%11, %arg5] : memref<6x10xf32>
          %13 = affine.load %arg1[%11, %arg6] : memref<6x8xf32>
          %14 = affine.load %arg2[%arg5, %arg6] : memref<10x8xf32>
          %15 = arith.mulf %12, %13 : f32
          %16 = arith.addf %14, %15 : f32
          affine.store %16, %arg2[%arg5, %arg6] : memref<10x8xf32>
        }
      }
    }
    affine.for %arg5 = 0 to 10 {
      affine.for %arg6 = 0 to 7 {
        affine.for %arg7 = 0 to 6 step 3 {
          %0 = affine.load %arg2[%arg5, %arg7] : memref<10x8xf32>
          %1 = affine.load %arg3[%arg6, %arg7] : memref<7x8xf32>
          %2 = affine.load %arg4[%arg5, %arg6] : memref<10x7xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg4[%arg5, %arg6] : memref<10x7xf32>
          %5 = affine.apply #map(%arg7)
          %6 = affine.load %arg2[%arg5, %5] : memref<10x8xf32>
          %7 = affine.load %arg3[%arg6, %5] : memref<7x8xf32>
          %8 = affine.load %arg4[%arg5, %arg6] : memref<10x7xf32>
          %9 = arith.mulf %6, %7 : f32
          %10 = arith.addf %8, %9 : f32
          affine.store %10, %arg4[%arg5, %arg6] : memref<10x7xf32>
          %11 = affine.apply #map1(%arg7)
          %12 = affine.load %arg2[%arg5, %11] : memref<10x8xf32>
          %13 = affine.load %arg3[%arg6, %11] : memref<7x8xf32>
          %14 = affine.load %arg4[%arg5, %arg6] : memref<10x7xf32>
          %15 = arith.mulf %12, %13 : f32
          %16 = arith.addf %14, %15 : f32
          affine.store %16, %arg4[%arg5, %arg6] : memref<10x7xf32>
        }
        affine.for %arg7 = 6 to 8 {
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

