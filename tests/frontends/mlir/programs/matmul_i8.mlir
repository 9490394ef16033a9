// Bytes multiplied, 32-bit sums.
func.func @f(%A: memref<9x14xi8>, %B: memref<14x11xi8>, %C: memref<9x11xi32>) {
  linalg.matmul ins(%A, %B : memref<9x14xi8>, memref<14x11xi8>) outs(%C : memref<9x11xi32>)
  return
}
