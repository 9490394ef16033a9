#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %0 = affine.apply #map()[%dim]
    %1 = affine.apply #map()[%dim_0]
    %2 = affine.apply #map1(%0)[%1]
    affine.for %arg3 = 0 to %2 {
      %8 = affine.apply #map2(%arg3)[%1]
      %9 = affine.apply #map3(%arg3)[%1]
      affine.store %cst, %arg2[%9, %8] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    }
    %dim_1 = memref.dim %arg0, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_2 = memref.dim %arg0, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %3 = affine.apply #map()[%dim_1]
    %4 = affine.apply #map()[%dim_3]
    %5 = affine.apply #map1(%3)[%4]
    %6 = affine.apply #map()[%dim_2]
    %7 = affine.apply #map1(%5)[%6]
    affine.for %arg3 = 0 to %7 {
      %8 = affine.apply #map2(%arg3)[%6]
      %9 = affine.apply #map3(%arg3)[%6]
      %10 = affine.apply #map2(%9)[%4]
      %11 = affine.apply #map3(%9)[%4]
      %12 = affine.load %arg0[%11, %8] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      %13 = affine.load %arg1[%8, %10] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      %14 = affine.load %arg2[%11, %10] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      %15 = arith.mulf %12, %13 : f64
      %16 = arith.addf %14, %15 : f64
      affine.store %16, %arg2[%11, %10] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    }
    return
  }
}

