module {
  func.func @f(%arg0: memref<6x5xi8>, %arg1: memref<5x9xi16>, %arg2: memref<6x9xi32>) {
    linalg.matmul ins(%arg0, %arg1 : memref<6x5xi8>, memref<5x9xi16>) outs(%arg2 : memref<6x9xi32>)
    return
  }
}

