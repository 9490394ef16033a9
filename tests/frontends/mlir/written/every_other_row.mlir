func.func @f(%A: memref<10x12xf32>, %B: memref<6x7xf32>, %C: memref<5x7xf32>) {
  %a = memref.subview %A[0, 1] [5, 6] [2, 2] : memref<10x12xf32> to memref<5x6xf32, strided<[24, 2], offset: 1>>
  linalg.matmul ins(%a, %B : memref<5x6xf32, strided<[24, 2], offset: 1>>, memref<6x7xf32>) outs(%C : memref<5x7xf32>)
  return
}
