func.func @f(%X: memref<20x30xi32>, %Y: memref<?x5xi32>, %o: index, %s: index) {
  %a = memref.subview %X[1, %o] [9, 12] [2, 2] : memref<20x30xi32> to memref<9x12xi32, strided<[60, 2], offset: ?>>
  %b = memref.subview %a[0, 1] [3, 5] [%s, 2] : memref<9x12xi32, strided<[60, 2], offset: ?>> to memref<3x5xi32, strided<[?, 4], offset: ?>>
  %c = memref.subview %b[1, 0] [1, 5] [1, 1] : memref<3x5xi32, strided<[?, 4], offset: ?>> to memref<5xi32, strided<[4], offset: ?>>
  %c0 = arith.constant 0 : index
  %m = memref.dim %Y, %c0 : memref<?x5xi32>
  affine.for %i = 0 to %m {
    affine.for %j = 0 to 5 {
      %x = affine.load %c[%j] : memref<5xi32, strided<[4], offset: ?>>
      affine.store %x, %Y[%i, %j] : memref<?x5xi32>
    }
  }
  return
}
