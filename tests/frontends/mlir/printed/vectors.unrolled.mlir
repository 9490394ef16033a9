#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    %c12 = arith.constant 12 : index
    %c12_0 = arith.constant 12 : index
    affine.for %arg5 = 0 to 8 {
      affine.for %arg6 = 0 to 12 step 3 {
        %10 = affine.load %arg0[%arg5, %arg6] : memref<8x13xf64>
        %11 = affine.load %arg1[%arg6] : memref<13xf64>
        %12 = affine.load %arg2[%arg5] : memref<8xf64>
        %13 = arith.mulf %10, %11 : f64
        %14 = arith.addf %12, %13 : f64
        affine.store %14, %arg2[%arg5] : memref<8xf64>
        %15 = affine.apply #map(%arg6)
        %16 = affine.load %arg0[%arg5, %15] : memref<8x13xf64>
        %17 = affine.load %arg1[%15] : memref<13xf64>
        %18 = affine.load %arg2[%arg5] : memref<8xf64>
        %19 = arith.mulf %16, %17 : f64
        %20 = arith.addf %18, %19 : f64
        affine.store %20, %arg2[%arg5] : memref<8xf64>
        %21 = affine.apply #map1(%arg6)
        %22 = affine.load %arg0[%arg5, %21] : memref<8x13xf64>
        %23 = affine.load %arg1[%21] : memref<13xf64>
        %24 = affine.load %arg2[%arg5] : memref<8xf64>
        %25 = arith.mulf %22, %23 : f64
        %26 = arith.addf %24, %25 : f64
        affine.store %26, %arg2[%arg5] : memref<8xf64>
      }
      %5 = affine.load %arg0[%arg5, %c12_0] : memref<8x13xf64>
      %6 = affine.load %arg1[%c12_0] : memref<13xf64>
      %7 = affine.load %arg2[%arg5] : memref<8xf64>
      %8 = arith.mulf %5, %6 : f64
      %9 = arith.addf %7, %8 : f64
      affine.store %9, %arg2[%arg5] : memref<8xf64>
    }
    affine.for %arg5 = 0 to 13 {
      affine.for %arg6 = 0 to 6 step 3 {
        %5 = affine.load %arg2[%arg6] : memref<8xf64>
        %6 = affine.load %arg0[%arg6, %arg5] : memref<8x13xf64>
        %7 = affine.load %arg3[%arg5] : memref<13xf64>
        %8 = arith.mulf %5, %6 : f64
        %9 = arith.addf %7, %8 : f64
        affine.store %9, %arg3[%arg5] : memref<13xf64>
        %10 = affine.apply #map(%arg6)
        %11 = affine.load %arg2[%10] : memref<8xf64>
        %12 = affine.load %arg0[%10, %arg5] : memref<8x13xf64>
        %13 = affine.load %arg3[%arg5] : memref<13xf64>
        %14 = arith.mulf %11, %12 : f64
        %15 = arith.addf %13, %14 : f64
        affine.store %15, %arg3[%arg5] : memref<13xf64>
        %16 = affine.apply #map1(%arg6)
        %17 = affine.load %arg2[%16] : memref<8xf64>
        %18 = affine.load %arg0[%16, %arg5] : memref<8x13xf64>
        %19 = affine.load %arg3[%arg5] : memref<13xf64>
        %20 = arith.mulf %17, %18 : f64
        %21 = arith.addf %19, %20 : f64
        affine.store %21, %arg3[%arg5] : memref<13xf64>
      }
      affine.for %arg6 = 6 to 8 {
        %5 = affine.load %arg2[%arg6] : memref<8xf64>
        %6 = affine.load %arg0[%arg6, %arg5] : memref<8x13xf64>
        %7 = affine.load %arg3[%arg5] : memref<13xf64>
        %8 = arith.mulf %5, %6 : f64
        %9 = arith.addf %7, %8 : f64
        affine.store %9, %arg3[%arg5] : memref<13xf64>
      }
    }
    affine.for %arg5 = 0 to 12 step 3 {
      %5 = affine.load %arg1[%arg5] : memref<13xf64>
      %6 = affine.load %arg3[%arg5] : memref<13xf64>
      %7 = affine.load %arg4[] : memref<f64>
      %8 = arith.mulf %5, %6 : f64
      %9 = arith.addf %7, %8 : f64
      affine.store %9, %arg4[] : memref<f64>
      %10 = affine.apply #map(%arg5)
      %11 = affine.load %arg1[%10] : memref<13xf64>
      %12 = affine.load %arg3[%10] : memref<13xf64>
      %13 = affine.load %arg4[] : memref<f64>
      %14 = arith.mulf %11, %12 : f64
      %15 = arith.addf %13, %14 : f64
      affine.store %15, %arg4[] : memref<f64>
      %16 = affine.apply #map1(%arg5)
      %17 = affine.load %arg1[%16] : memref<13xf64>
      %18 = affine.load %arg3[%16] : memref<13xf64>
      %19 = affine.load %arg4[] : memref<f64>
      %20 = arith.mulf %17, %18 : f64
      %21 = arith.addf %19, %20 : f64
      affine.store %21, %arg4[] : memref<f64>
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

