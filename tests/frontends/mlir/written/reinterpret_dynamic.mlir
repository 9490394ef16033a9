func.func @f(%X: memref<?xf32>, %m: index, %n: index, %Y: memref<?x?xf32>) {
  %t = memref.reinterpret_cast %X to offset: [0], sizes: [%m, %n], strides: [%n, 1] : memref<?xf32> to memref<?x?xf32, strided<[?, 1]>>
  memref.copy %t, %Y : memref<?x?xf32, strided<[?, 1]>> to memref<?x?xf32>
  return
}
