// C = A B of any size, with leading dimensions of their own.
!matrix = memref<?x?xf64, strided<[?, 1], offset: ?>>
func.func @f(%A: !matrix, %B: !matrix, %C: !matrix) {
  %zero = arith.constant 0.0 : f64
  linalg.fill ins(%zero : f64) outs(%C : !matrix)
  linalg.matmul ins(%A, %B : !matrix, !matrix) outs(%C : !matrix)
  return
}
