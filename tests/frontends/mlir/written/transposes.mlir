func.func @f(%X: memref<3x5x7xi16>, %Y: memref<7x3x5xi16>, %A: memref<?x?xf64>, %B: memref<?x?xf64>, %v: memref<4xbf16>, %W: memref<2x4x3xbf16>) {
  linalg.transpose ins(%X : memref<3x5x7xi16>) outs(%Y : memref<7x3x5xi16>) permutation = [2, 0, 1]
  linalg.transpose ins(%A : memref<?x?xf64>) outs(%B : memref<?x?xf64>) permutation = [1, 0]
  linalg.broadcast ins(%v : memref<4xbf16>) outs(%W : memref<2x4x3xbf16>) dimensions = [0, 2]
  return
}
