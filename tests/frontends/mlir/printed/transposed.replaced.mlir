#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    %c0 = arith.constant 0 : index
    affine.for %arg5 = 0 to 10 {
      affine.for %arg6 = 0 to 8 {
        %0 = affine.load %arg0[%c0, %arg5] : memref<6x10xf32>
        %1 = affine.load %arg1[%c0, %arg6] : memref<6x8xf32>
        %2 = affine.load %arg2[%arg5, %arg6] : memref<10x8xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        affine.store %4, %arg2[%arg5, %arg6] : memref<10x8xf32>
        %5 = affine.apply #map(%c0)
        %6 = affine.load %arg0[%5, %arg5] : memref<6x10xf32>
        %7 = affine.load %arg1[%5, %arg6] : memref<6x8xf32>
        %8 = arith.mulf %6, %7 : f32
        %9 = arith.addf %4, %8 : f32
        affine.store %9, %arg2[%arg5, %arg6] : memref<10x8xf32>
        %10 = affine.apply #map1(%c0)
        %11 = affine.load %arg0[%10, %arg5] : memref<6x10xf32>
        %12 = affine.load %arg1[%10, %arg6] : memref<6x8xf32>
        %13 = arith.mulf %11, %12 : f32
        %14 = arith.addf %9, %13 : f32
        affine.store %14, %arg2[%arg5, %arg6] : memref<10x8xf32>
        %15 = affine.apply #map2(%c0)
        %16 = affine.load %arg0[%15, %arg5] : memref<6x10xf32>
        %17 = affine.load %arg1[%15, %arg6] : memref<6x8xf32>
        %18 = arith.mulf %16, %17 : f32
        %19 = arith.addf %14, %18 : f32
        affine.store %19, %arg2[%arg5, %arg6] : memref<10x8xf32>
        affine.for %arg7 = 4 to 6 {
          %20 = affine.load %arg0[%arg7, %arg5] : memref<6x10xf32>
          %21 = affine.load %arg1[%arg7, %arg6] : memref<6x8xf32>
          %22 = affine.load %arg2[%arg5, %arg6] : memref<10x8xf32>
          %23 = arith.mulf %20, %21 : f32
          %24 = arith.addf %22, %23 : f32
          affine.store %24, %arg2[%arg5, %arg6] : memref<10x8xf32>
        }
      }
    }
    affine.for %arg5 = 0 to 10 {
      affine.for %arg6 = 0 to 7 {
        affine.for %arg7 = 0 to 8 step 4 {
          %0 = affine.load %arg2[%arg5, %arg7] : memref<10x8xf32>
          %1 = affine.load %arg3[%arg6, %arg7] : memref<7x8xf32>
          %2 = affine.load %arg4[%arg5, %arg6] : memref<10x7xf32>
          %3 = arith.mulf %0, %1 : f32
          %4 = arith.addf %2, %3 : f32
          affine.store %4, %arg4[%arg5, %arg6] : memref<10x7xf32>
          %5 = affine.apply #map(%arg7)
          %6 = affine.load %arg2[%arg5, %5] : memref<10x8xf32>
          %7 = affine.load %arg3[%arg6, %5] : memref<7x8xf32>
          %8 = arith.mulf %6, %7 : f32
          %9 = arith.addf %4, %8 : f32
          affine.store %9, %arg4[%arg5, %arg6] : memref<10x7xf32>
          %10 = affine.apply #map1(%arg7)
          %11 = affine.load %arg2[%arg5, %10] : memref<10x8xf32>
          %12 = affine.load %arg3[%arg6, %10] : memref<7x8xf32>
          %13 = arith.mulf %11, %12 : f32
          %14 = arith.addf %9, %13 : f32
          affine.store %14, %arg4[%arg5, %arg6] : memref<10x7xf32>
          %15 = affine.apply #map2(%arg7)
          %16 = affine.load %arg2[%arg5, %15] : memref<10x8xf32>
          %17 = affine.load %arg3[%arg6, %15] : memref<7x8xf32>
          %18 = arith.mulf %16, %17 : f32
          %19 = arith.addf %14, %18 : f32
          affine.store %19, %arg4[%arg5, %arg6] : memref<10x7xf32>
        }
      }
    }
    return
  }
}

