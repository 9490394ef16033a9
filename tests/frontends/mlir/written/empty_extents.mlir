func.func @f(%A: memref<?x?xf64>, %B: memref<?x?xf64>, %C: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %C, %c0 : memref<?x?xf64>
  %n = memref.dim %C, %c1 : memref<?x?xf64>
  %t = memref.alloc(%m, %n) : memref<?x?xf64>
  memref.copy %C, %t : memref<?x?xf64> to memref<?x?xf64>
  linalg.matmul ins(%A, %B : memref<?x?xf64>, memref<?x?xf64>) outs(%t : memref<?x?xf64>)
  memref.copy %t, %C : memref<?x?xf64> to memref<?x?xf64>
  return
}
