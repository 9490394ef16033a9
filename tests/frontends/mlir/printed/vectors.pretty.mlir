module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    linalg.matvec ins(%arg0, %arg1 : memref<8x13xf64>, memref<13xf64>) outs(%arg2 : memref<8xf64>)
    linalg.vecmat ins(%arg2, %arg0 : memref<8xf64>, memref<8x13xf64>) outs(%arg3 : memref<13xf64>)
    linalg.dot ins(%arg1, %arg3 : memref<13xf64>, memref<13xf64>) outs(%arg4 : memref<f64>)
    return
  }
}

