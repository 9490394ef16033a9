module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    linalg.matmul_transpose_a ins(%arg0, %arg1 : memref<6x10xf32>, memref<6x8xf32>) outs(%arg2 : memref<10x8xf32>)
    linalg.matmul_transpose_b ins(%arg2, %arg3 : memref<10x8xf32>, memref<7x8xf32>) outs(%arg4 : memref<10x7xf32>)
    return
  }
}

