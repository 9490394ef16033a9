#map = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 2)>
#map3 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to #map()[%dim_0] step 4 {
        affine.store %cst, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
        %0 = affine.apply #map1(%arg4)
        affine.store %cst, %arg2[%arg3, %0] : memref<?x?xf64, strided<[?, 1], offset: ?>>
        %1 = affine.apply #map2(%arg4)
        affine.store %cst, %arg2[%arg3, %1] : memref<?x?xf64, strided<[?, 1], offset: ?>>
        %2 = affine.apply #map3(%arg4)
        affine.store %cst, %arg2[%arg3, %2] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      }
      affine.for %arg4 = #map()[%dim_0] to %dim_0 {
        affine.store %cst, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      }
    }
    %dim_1 = memref.dim %arg0, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_2 = memref.dim %arg0, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    affine.for %arg3 = 0 to %dim_1 {
      affine.for %arg4 = 0 to %dim_3 {
        affine.for %arg5 = 0 to #map()[%dim_2] step 4 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %3 = arith.mulf %0, %1 : f64
          %4 = arith.addf %2, %3 : f64
          affine.store %4, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %5 = affine.apply #map1(%arg5)
          %6 = affine.load %arg0[%arg3, %5] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %7 = affine.load %arg1[%5, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %8 = arith.mulf %6, %7 : f64
          %9 = arith.addf %4, %8 : f64
          affine.store %9, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %10 = affine.apply #map2(%arg5)
          %11 = affine.load %arg0[%arg3, %10] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %12 = affine.load %arg1[%10, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %13 = arith.mulf %11, %12 : f64
          %14 = arith.addf %9, %13 : f64
          affine.store %14, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %15 = affine.apply #map3(%arg5)
          %16 = affine.load %arg0[%arg3, %15] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %17 = affine.load %arg1[%15, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %18 = arith.mulf %16, %17 : f64
          %19 = arith.addf %14, %18 : f64
          affine.store %19, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
        }
        affine.for %arg5 = #map()[%dim_2] to %dim_2 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          %3 = arith.mulf %0, %1 : f64
          %4 = arith.addf %2, %3 : f64
          affine.store %4, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
        }
      }
    }
    return
  }
}

