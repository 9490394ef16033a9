func.func @f(%A: memref<6x5xi8>, %B: memref<5x9xi16>, %C: memref<6x9xi32>) {
  linalg.matmul ins(%A, %B : memref<6x5xi8>, memref<5x9xi16>) outs(%C : memref<6x9xi32>)
  return
}
