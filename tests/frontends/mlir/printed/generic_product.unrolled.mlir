#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    %c9 = arith.constant 9 : index
    affine.for %arg3 = 0 to 6 {
      affine.for %arg4 = 0 to 8 {
        affine.for %arg5 = 0 to 9 step 3 {
          %7 = affine.load %arg0[%arg5, %arg3] : memref<10x6xbf16>
          %8 = affine.load %arg1[%arg5, %arg4] : memref<10x8xbf16>
          %9 = affine.load %arg2[%arg3, %arg4] : memref<6x8xf32>
          %10 = arith.extf %7 : bf16 to f32
          %11 = arith.extf %8 : bf16 to f32
          %12 = arith.mulf %10, %11 : f32
          %13 = arith.addf %9, %12 : f32
          affine.store %13, %arg2[%arg3, %arg4] : memref<6x8xf32>
          %14 = affine.apply #map(%arg5)
          %15 = affine.load %arg0[%14, %arg3] : memref<10x6xbf16>
          %16 = affine.load %arg1[%14, %arg4] : memref<10x8xbf16>
          %17 = affine.load %arg2[%arg3, %arg4] : memref<6x8xf32>
          %18 = arith.extf %15 : bf16 to f32
          %19 = arith.extf %16 : bf16 to f32
          %20 = arith.mulf %18, %19 : f32
          %21 = arith.addf %17, %20 : f32
          affine.store %21, %arg2[%arg3, %arg4] : memref<6x8xf32>
          %22 = affine.apply #map1(%arg5)
          %23 = affine.load %arg0[%22, %arg3] : memref<10x6xbf16>
          %24 = affine.load %arg1[%22, %arg4] : memref<10x8xbf16>
          %25 = affine.load %arg2[%arg3, %arg4] : memref<6x8xf32>
          %26 = arith.extf %23 : bf16 to f32
          %27 = arith.extf %24 : bf16 to f32
          %28 = arith.mulf %26, %27 : f32
          %29 = arith.addf %25, %28 : f32
          affine.store %29, %arg2[%arg3, %arg4] : memref<6x8xf32>
        }
        %0 = affine.load %arg0[%c9, %arg3] : memref<10x6xbf16>
        %1 = affine.load %arg1[%c9, %arg4] : memref<10x8xbf16>
        %2 = affine.load %arg2[%arg3, %arg4] : memref<6x8xf32>
        %3 = arith.extf %0 : bf16 to f32
        %4 = arith.extf %1 : bf16 to f32
        %5 = arith.mulf %3, %4 : f32
        %6 = arith.addf %2, %5 : f32
        affine.store %6, %arg2[%arg3, %arg4] : memref<6x8xf32>
      }
    }
    return
  }
}

