#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 2)>
#map3 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
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
      %10 = arith.mulf %8, %9 : f64
      %11 = arith.addf %5, %10 : f64
      affine.store %11, %arg2[%arg3] : memref<16xf64>
      %12 = affine.apply #map2(%c0)
      %13 = affine.apply #map(%arg3, %12)
      %14 = affine.load %arg0[%13] : memref<20xf64>
      %15 = affine.load %arg1[%12] : memref<5xf64>
      %16 = arith.mulf %14, %15 : f64
      %17 = arith.addf %11, %16 : f64
      affine.store %17, %arg2[%arg3] : memref<16xf64>
      %18 = affine.apply #map3(%c0)
      %19 = affine.apply #map(%arg3, %18)
      %20 = affine.load %arg0[%19] : memref<20xf64>
      %21 = affine.load %arg1[%18] : memref<5xf64>
      %22 = arith.mulf %20, %21 : f64
      %23 = arith.addf %17, %22 : f64
      affine.store %23, %arg2[%arg3] : memref<16xf64>
      %24 = affine.apply #map(%arg3, %c4)
      %25 = affine.load %arg0[%24] : memref<20xf64>
      %26 = affine.load %arg1[%c4] : memref<5xf64>
      %27 = arith.mulf %25, %26 : f64
      %28 = arith.addf %23, %27 : f64
      affine.store %28, %arg2[%arg3] : memref<16xf64>
    }
    return
  }
}

