#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    affine.for %arg3 = 0 to 6 {
      affine.for %arg4 = 0 to 8 {
        affine.for %arg5 = 0 to 8 step 4 {
          %0 = affine.load %arg0[%arg5, %arg3] : memref<10x6xbf16>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<10x8xbf16>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<6x8xf32>
          %3 = arith.extf %0 : bf16 to f32
          %4 = arith.extf %1 : bf16 to f32
          %5 = arith.mulf %3, %4 : f32
          %6 = arith.addf %2, %5 : f32
          affine.store %6, %arg2[%arg3, %arg4] : memref<6x8xf32>
          %7 = affine.apply #map(%arg5)
          %8 = affine.load %arg0[%7, %arg3] : memref<10x6xbf16>
          %9 = affine.load %arg1[%7, %arg4] : memref<10x8xbf16>
          %10 = arith.extf %8 : bf16 to f32
          %11 = arith.extf %9 : bf16 to f32
          %12 = arith.mulf %10, %11 : f32
          %13 = arith.addf %6, %12 : f32
          affine.store %13, %arg2[%arg3, %arg4] : memref<6x8xf32>
          %14 = affine.apply #map1(%arg5)
          %15 = affine.load %arg0[%14, %arg3] : memref<10x6xbf16>
          %16 = affine.load %arg1[%14, %arg4] : memref<10x8xbf16>
          %17 = arith.extf %15 : bf16 to f32
          %18 = arith.extf %16 : bf16 to f32
          %19 = arith.mulf %17, %18 : f32
          %20 = arith.addf %13, %19 : f32
          affine.store %20, %arg2[%arg3, %arg4] : memref<6x8xf32>
          %21 = affine.apply #map2(%arg5)
          %22 = affine.load %arg0[%21, %arg3] : memref<10x6xbf16>
          %23 = affine.load %arg1[%21, %arg4] : memref<10x8xbf16>
          %24 = arith.extf %22 : bf16 to f32
          %25 = arith.extf %23 : bf16 to f32
          %26 = arith.mulf %24, %25 : f32
          %27 = arith.addf %20, %26 : f32
          affine.store %27, %arg2[%arg3, %arg4] : memref<6x8xf32>
        }
        affine.for %arg5 = 8 to 10 {
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

