func.func @f(%X: memref<?x?xi32>, %Y: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %X, %c0 : memref<?x?xi32>
  %n = memref.dim %X, %c1 : memref<?x?xi32>
  scf.parallel (%i) = (%c0) to (%m) step (%c1) {
    %t = memref.alloca(%n) : memref<?xi32>
    affine.for %j = 0 to %n {
      %x = memref.load %X[%i, %j] : memref<?x?xi32>
      affine.store %x, %t[-%j + symbol(%n) - 1] : memref<?xi32>
    }
    affine.for %j = 0 to %n {
      %x = affine.load %t[%j] : memref<?xi32>
      memref.store %x, %Y[%i, %j] : memref<?x?xi32>
    }
    scf.reduce
  }
  return
}
