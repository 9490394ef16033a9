#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    %c12 = arith.constant 12 : index
    %c12_0 = arith.constant 12 : index
    affine.for %arg5 = 0 to 8 {
      affine.for %arg6 = 0 to 12 step 4 {
        %10 = affine.load %arg0[%arg5, %arg6] : memref<8x13xf64>
        %11 = affine.load %arg1[%arg6] : memref<13xf64>
        %12 = affine.load %arg2[%arg5] : memref<8xf64>
        %13 = arith.mulf %10, %11 : f64
        %14 = arith.addf %12, %13 : f64
        affine.store %14, %arg2[%arg5] : memref<8xf64>
        %15 = affine.apply #map(%arg6)
        %16 = affine.load %arg0[%arg5, %15] : memref<8x13xf64>
        %17 = affine.load %arg1[%15] : memref<13xf64>
        %18 = arith.mulf %16, %17 : f64
        %19 = arith.addf %14, %18 : f64
        affine.store %19, %arg2[%arg5] : memref<8xf64>
        %20 = affine.apply #map1(%arg6)
        %21 = affine.load %arg0[%arg5, %20] : memref<8x13xf64>
        %22 = affine.load %arg1[%20] : memref<13xf64>
        %23 = arith.mulf %21, %22 : f64
        %24 = arith.addf %19, %23 : f64
        affine.store %24, %arg2[%arg5] : memref<8xf64>
        %25 = affine.apply #map2(%arg6)
        %26 = affine.load %arg0[%arg5, %25] : memref<8x13xf64>
        %27 = affine.load %arg1[%25] : memref<13xf64>
        %28 = arith.mulf %26, %27 : f64
        %29 = arith.addf %24, %28 : f64
        affine.store %29, %arg2[%arg5] : memref<8xf64>
      }
      %5 = affine.load %arg0[%arg5, %c12_0] : memref<8x13xf64>
      %6 = affine.load %arg1[%c12_0] : memref<13xf64>
      %7 = affine.load %arg2[%arg5] : memref<8xf64>
      %8 = arith.mulf %5, %6 : f64
      %9 = arith.addf %7, %8 : f64
      affine.store %9, %arg2[%arg5] : memref<8xf64>
    }
    affine.for %arg5 = 0 to 13 {
      affine.for %arg6 = 0 to 8 step 4 {
        %5 = affine.load %arg2[%arg6] : memref<8xf64>
        %6 = affine.load %arg0[%arg6, %arg5] : memref<8x13xf64>
        %7 = affine.load %arg3[%arg5] : memref<13xf64>
        %8 = arith.mulf %5, %6 : f64
        %9 = arith.addf %7, %8 : f64
        affine.store %9, %arg3[%arg5] : memref<13xf64>
        %10 = affine.apply #map(%arg6)
        %11 = affine.load %arg2[%10] : memref<8xf64>
        %12 = affine.load %arg0[%10, %arg5] : memref<8x13xf64>
        %13 = arith.mulf %11, %12 : f64
        %14 = arith.addf %9, %13 : f64
        affine.store %14, %arg3[%arg5] : memref<13xf64>
        %15 = affine.apply #map1(%arg6)
        %16 = affine.load %arg2[%15] : memref<8xf64>
        %17 = affine.load %arg0[%15, %arg5] : memref<8x13xf64>
        %18 = arith.mulf %16, %17 : f64
        %19 = arith.addf %14, %18 : f64
        affine.store %19, %arg3[%arg5] : memref<13xf64>
        %20 = affine.apply #map2(%arg6)
        %21 = affine.load %arg2[%20] : memref<8xf64>
        %22 = affine.load %arg0[%20, %arg5] : memref<8x13xf64>
        %23 = arith.mulf %21, %22 : f64
        %24 = arith.addf %19, %23 : f64
        affine.store %24, %arg3[%arg5] : memref<13xf64>
      }
    }
    affine.for %arg5 = 0 to 12 step 4 {
      %5 = affine.load %arg1[%arg5] : memref<13xf64>
      %6 = affine.load %arg3[%arg5] : memref<13xf64>
      %7 = affine.load %arg4[] : memref<f64>
      %8 = arith.mulf %5, %6 : f64
      %9 = arith.addf %7, %8 : f64
      affine.store %9, %arg4[] : memref<f64>
      %10 = affine.apply #map(%arg5)
      %11 = affine.load %arg1[%10] : memref<13xf64>
      %12 = affine.load %arg3[%10] : memref<13xf64>
      %13 = arith.mulf %11, %12 : f64
      %14 = arith.addf %9, %13 : f64
      affine.store %14, %arg4[] : memref<f64>
      %15 = affine.apply #map1(%arg5)
      %16 = affine.load %arg1[%15] : memref<13xf64>
      %17 = affine.load %arg3[%15] : memref<13xf64>
      %18 = arith.mulf %16, %17 : f64
      %19 = arith.addf %14, %18 : f64
      affine.store %19, %arg4[] : memref<f64>
      %20 = affine.apply #map2(%arg5)
      %21 = affine.load %arg1[%20] : memref<13xf64>
      %22 = affine.load %arg3[%20] : memref<13xf64>
      %23 = arith.mulf %21, %22 : f64
      %24 = arith.addf %19, %23 : f64
      affine.store %24, %arg4[] : memref<f64>
    }
    %0 = affine.load %arg1[%c12] : memref<13xf64>
    %1 = affine.load %arg3[%c12] : memref<13xf64>
    %2 = affine.load %arg4[] : memref<f64>
    %3 = arith.mulf %0, %1 : f64
    %4 = arith.addf %2, %3 : f64
    affine.store %4, %arg4[] : memref<f64>
    return
  }
}

