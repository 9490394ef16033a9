func.func @f(%X: memref<16x20xf32>, %o: index) {
  %a = memref.subview %X[2, %o] [10, 12] [1, 1] : memref<16x20xf32> to memref<10x12xf32, strided<[20, 1], offset: ?>>
  %b = memref.subview %a[%o, 1] [4, 8] [1, 1] : memref<10x12xf32, strided<[20, 1], offset: ?>> to memref<4x8xf32, strided<[20, 1], offset: ?>>
  %c = memref.subview %b[1, 0] [1, 8] [1, 1] : memref<4x8xf32, strided<[20, 1], offset: ?>> to memref<8xf32, strided<[1], offset: ?>>
  %one = arith.constant 1.0 : f32
  linalg.fill ins(%one : f32) outs(%c : memref<8xf32, strided<[1], offset: ?>>)
  return
}
