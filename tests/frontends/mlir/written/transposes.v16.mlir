module {
  func.func @f(%arg0: memref<3x5x7xi16>, %arg1: memref<7x3x5xi16>, %arg2: memref<?x?xf64>, %arg3: memref<?x?xf64>, %arg4: memref<4xbf16>, %arg5: memref<2x4x3xbf16>) {
    linalg.transpose ins(%arg0 : memref<3x5x7xi16>) outs(%arg1 : memref<7x3x5xi16>) permutation = [2, 0, 1] 
    linalg.transpose ins(%arg2 : memref<?x?xf64>) outs(%arg3 : memref<?x?xf64>) permutation = [1, 0] 
    linalg.broadcast ins(%arg4 : memref<4xbf16>) outs(%arg5 : memref<2x4x3xbf16>) dimensions = [0, 2] 
    return
  }
}
