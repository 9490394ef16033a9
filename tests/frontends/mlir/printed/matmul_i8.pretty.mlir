module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    linalg.matmul ins(%arg0, %arg1 : memref<9x14xi8>, memref<14x11xi8>) outs(%arg2 : memref<9x11xi32>)
    return
  }
}

