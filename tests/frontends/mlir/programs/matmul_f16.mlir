// Halves multiplied, singles summed: the paper's product.
func.func @f(%A: memref<16x32xf16>, %B: memref<32x24xf16>, %C: memref<16x24xf32>) {
  linalg.matmul ins(%A, %B : memref<16x32xf16>, memref<32x24xf16>) outs(%C : memref<16x24xf32>)
  return
}
