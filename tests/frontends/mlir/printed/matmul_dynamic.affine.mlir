module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_0 {
        affine.store %cst, %arg2[%arg3, %arg4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
      }
    }
    %dim_1 = memref.dim %arg0, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_2 = memref.dim %arg0, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    affine.for %arg3 = 0 to %dim_1 {
      affine.for %arg4 = 0 to %dim_3 {
        affine.for %arg5 = 0 to %dim_2 {
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

