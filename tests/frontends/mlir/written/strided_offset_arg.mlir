func.func @f(%X: memref<5x7xf32, strided<[10, 1], offset: 3>>, %Y: memref<7x5xf32, strided<[1, 7]>>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 7 {
      %x = affine.load %X[%i, %j] : memref<5x7xf32, strided<[10, 1], offset: 3>>
      affine.store %x, %Y[%j, %i] : memref<7x5xf32, strided<[1, 7]>>
    }
  }
  return
}
