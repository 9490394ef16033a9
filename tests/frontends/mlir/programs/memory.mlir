// Views and buffers: subview, cast, copy, alloc, alloca, dealloc, reinterpret_cast, globals, calls.
memref.global "private" constant @weights : memref<2x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.5]]>
func.func private @twice(%x: f32) -> f32 {
  %y = arith.addf %x, %x : f32
  return %y : f32
}
func.func @f(%X: memref<8x12xf32>, %n: index, %Y: memref<4x4xf32>, %Z: memref<6x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %part = memref.subview %X[%n, 4] [4, 4] [1, 1] : memref<8x12xf32> to memref<4x4xf32, strided<[12, 1], offset: ?>>
  %buffer = memref.alloc() {alignment = 64 : i64} : memref<4x4xf32>
  memref.copy %part, %buffer : memref<4x4xf32, strided<[12, 1], offset: ?>> to memref<4x4xf32>
  %row = memref.subview %buffer[2, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 8>>
  %open = memref.cast %row : memref<4xf32, strided<[1], offset: 8>> to memref<?xf32, strided<[?], offset: ?>>
  %w = memref.get_global @weights : memref<2x4xf32>
  affine.for %j = 0 to 4 {
    %x = memref.load %open[%j] : memref<?xf32, strided<[?], offset: ?>>
    %y = func.call @twice(%x) : (f32) -> f32
    %g = memref.load %w[%c1, %j] : memref<2x4xf32>
    %z = arith.addf %y, %g : f32
    memref.store %z, %open[%j] : memref<?xf32, strided<[?], offset: ?>>
  }
  memref.copy %buffer, %Y : memref<4x4xf32> to memref<4x4xf32>
  memref.dealloc %buffer : memref<4x4xf32>
  %flat = memref.reinterpret_cast %X to offset: [0], sizes: [24, 4], strides: [4, 1] : memref<8x12xf32> to memref<24x4xf32>
  %local = memref.alloca() : memref<4xf32>
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 4 {
      %x = affine.load %flat[%i + 3, %j] : memref<24x4xf32>
      affine.store %x, %local[%j] : memref<4xf32>
    }
    affine.for %j = 0 to 4 {
      %x = affine.load %local[3 - %j] : memref<4xf32>
      affine.store %x, %Z[%i, %j] : memref<6x4xf32>
    }
  }
  return
}
