// C += A^T B, then D += A B^T.
func.func @f(%A: memref<6x10xf32>, %B: memref<6x8xf32>, %C: memref<10x8xf32>, %E: memref<7x8xf32>, %D: memref<10x7xf32>) {
  linalg.matmul_transpose_a ins(%A, %B : memref<6x10xf32>, memref<6x8xf32>) outs(%C : memref<10x8xf32>)
  linalg.matmul_transpose_b ins(%C, %E : memref<10x8xf32>, memref<7x8xf32>) outs(%D : memref<10x7xf32>)
  return
}
