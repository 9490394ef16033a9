func.func @f(%X: memref<?xf32>, %w: memref<3xf32>, %Y: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %t = memref.reinterpret_cast %X to offset: [1], sizes: [%n, 3], strides: [2, 1] : memref<?xf32> to memref<?x3xf32, strided<[2, 1], offset: 1>>
  linalg.matvec ins(%t, %w : memref<?x3xf32, strided<[2, 1], offset: 1>>, memref<3xf32>) outs(%Y : memref<?xf32>)
  return
}
