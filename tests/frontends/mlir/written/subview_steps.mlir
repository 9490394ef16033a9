func.func @f(%X: memref<16x20xf32>, %Y: memref<8x5xf32>) {
  %a = memref.subview %X[0, 3] [8, 5] [2, 3] : memref<16x20xf32> to memref<8x5xf32, strided<[40, 3], offset: 3>>
  memref.copy %a, %Y : memref<8x5xf32, strided<[40, 3], offset: 3>> to memref<8x5xf32>
  return
}
