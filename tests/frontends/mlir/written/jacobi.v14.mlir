module {
  func @f(%arg0: memref<?x?xf64>, %arg1: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = memref.dim %arg0, %c0 : memref<?x?xf64>
    %1 = memref.dim %arg0, %c1 : memref<?x?xf64>
    %cst = arith.constant 2.500000e-01 : f64
    %2 = memref.alloc(%0, %1) : memref<?x?xf64>
    scf.for %arg2 = %c0 to %arg1 step %c1 {
      memref.copy %arg0, %2 : memref<?x?xf64> to memref<?x?xf64>
      affine.parallel (%arg3, %arg4) = (1, 1) to (symbol(%0) - 1, symbol(%1) - 1) {
        %3 = affine.load %2[%arg3 - 1, %arg4] : memref<?x?xf64>
        %4 = affine.load %2[%arg3 + 1, %arg4] : memref<?x?xf64>
        %5 = affine.load %2[%arg3, %arg4 - 1] : memref<?x?xf64>
        %6 = affine.load %2[%arg3, %arg4 + 1] : memref<?x?xf64>
        %7 = arith.addf %3, %4 : f64
        %8 = arith.addf %5, %6 : f64
        %9 = arith.addf %7, %8 : f64
        %10 = arith.mulf %9, %cst : f64
        affine.store %10, %arg0[%arg3, %arg4] : memref<?x?xf64>
      }
    }
    memref.dealloc %2 : memref<?x?xf64>
    return
  }
}

