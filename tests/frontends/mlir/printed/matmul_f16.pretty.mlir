module {
  func.func @f(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>) {
    linalg.matmul ins(%arg0, %arg1 : memref<16x32xf16>, memref<32x24xf16>) outs(%arg2 : memref<16x24xf32>)
    return
  }
}

