func.func @f(%I: memref<?xi32>, %X: memref<?x4xf32>, %Y: memref<?x4xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %I, %c0 : memref<?xi32>
  affine.for %i = 0 to %n {
    %k = affine.load %I[%i] : memref<?xi32>
    %r = arith.index_cast %k : i32 to index
    affine.for %j = 0 to 4 {
      %x = memref.load %X[%r, %j] : memref<?x4xf32>
      affine.store %x, %Y[%i, %j] : memref<?x4xf32>
    }
  }
  return
}
