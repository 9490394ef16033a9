func.func @f(%X: memref<?x8xf32>, %Y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %X, %c0 : memref<?x8xf32>
  affine.parallel (%i) = (0) to (%m) {
    %row = memref.alloc() : memref<8xf32>
    affine.for %j = 0 to 8 {
      %x = affine.load %X[%i, %j] : memref<?x8xf32>
      affine.store %x, %row[-%j + 7] : memref<8xf32>
    }
    affine.for %j = 0 to 8 {
      %x = affine.load %row[%j] : memref<8xf32>
      affine.store %x, %Y[%i, %j] : memref<?x8xf32>
    }
    memref.dealloc %row : memref<8xf32>
  }
  return
}
