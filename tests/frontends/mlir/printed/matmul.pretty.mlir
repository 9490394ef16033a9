module {
  func.func @f(%arg0: memref<12x20xf32>, %arg1: memref<20x16xf32>, %arg2: memref<12x16xf32>) {
    linalg.matmul ins(%arg0, %arg1 : memref<12x20xf32>, memref<20x16xf32>) outs(%arg2 : memref<12x16xf32>)
    return
  }
}

