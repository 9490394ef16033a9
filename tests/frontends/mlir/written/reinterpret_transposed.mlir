func.func @f(%X: memref<24xf32>, %Y: memref<6x4xf32>) {
  %t = memref.reinterpret_cast %X to offset: [0], sizes: [6, 4], strides: [1, 6] : memref<24xf32> to memref<6x4xf32, strided<[1, 6]>>
  memref.copy %t, %Y : memref<6x4xf32, strided<[1, 6]>> to memref<6x4xf32>
  return
}
