#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    %c0 = arith.constant 0 : index
    affine.for %arg3 = 0 to 16 {
      %0 = affine.apply #map(%arg3, %c0)
      %1 = affine.load %arg0[%0] : memref<20xf64>
      %2 = affine.load %arg1[%c0] : memref<5xf64>
      %3 = affine.load %arg2[%arg3] : memref<16xf64>
      %4 = arith.mulf %1, %2 : f64
      %5 = arith.addf %3, %4 : f64
      affine.store %5, %arg2[%arg3] : memref<16xf64>
      %6 = affine.apply #map1(%c0)
      %7 = affine.apply #map(%arg3, %6)
      %8 = affine.load %arg0[%7] : memref<20xf64>
      %9 = affine.load %arg1[%6] : memref<5xf64>
      %10 = affine.load %arg2[%arg3] : memref<16xf64>
      %11 = arith.mulf %8, %9 : f64
      %12 = arith.addf %10, %11 : f64
      affine.store %12, %arg2[%arg3] : memref<16xf64>
      %13 = affine.apply #map2(%c0)
      %14 = affine.apply #map(%arg3, %13)
      %15 = affine.load %arg0[%14] : memref<20xf64>
      %16 = affine.load %arg1[%13] : memref<5xf64>
      %17 = affine.load %arg2[%arg3] : memref<16xf64>
      %18 = arith.mulf %15, %16 : f64
      %19 = arith.addf %17, %18 : f64
      affine.store %19, %arg2[%arg3] : memref<16xf64>
      affine.for %arg4 = 3 to 5 {
        %20 = affine.apply #map(%arg3, %arg4)
        %21 = affine.load %arg0[%20] : memref<20xf64>
        %22 = affine.load %arg1[%arg4] : memref<5xf64>
        %23 = affine.load %arg2[%arg3] : memref<16xf64>
        %24 = arith.mulf %21, %22 : f64
        %25 = arith.addf %23, %24 : f64
        affine.store %25, %arg2[%arg3] : memref<16xf64>
      }
    }
    return
  }
}

