// C += A B, every size known.
func.func @f(%A: memref<12x20xf32>, %B: memref<20x16xf32>, %C: memref<12x16xf32>) {
  linalg.matmul ins(%A, %B : memref<12x20xf32>, memref<20x16xf32>) outs(%C : memref<12x16xf32>)
  return
}
