module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %cst = arith.constant 0.000000e+00 : f64
    linalg.fill ins(%cst : f64) outs(%arg2 : memref<?x?xf64, strided<[?, 1], offset: ?>>)
    linalg.matmul ins(%arg0, %arg1 : memref<?x?xf64, strided<[?, 1], offset: ?>>, memref<?x?xf64, strided<[?, 1], offset: ?>>) outs(%arg2 : memref<?x?xf64, strided<[?, 1], offset: ?>>)
    return
  }
}

