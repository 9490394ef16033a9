func.func @f(%X: memref<4x6xf32>, %o: index, %Y: memref<2x3xf32>) {
  %t = memref.reinterpret_cast %X to offset: [%o], sizes: [2, 3], strides: [7, 2] : memref<4x6xf32> to memref<2x3xf32, strided<[7, 2], offset: ?>>
  memref.copy %t, %Y : memref<2x3xf32, strided<[7, 2], offset: ?>> to memref<2x3xf32>
  return
}
