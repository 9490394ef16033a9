func.func @f(%X: memref<?xf32>, %Y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    %x = affine.load %X[-%i + symbol(%n) - 1] : memref<?xf32>
    affine.store %x, %Y[%i] : memref<?xf32>
  }
  return
}
