// Memory: globals, allocation, views, layouts, memory spaces.
memref.global "private" constant @table : memref<2x3xf32> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.5]]>
memref.global @zero : memref<4xi8> = dense<0>
memref.global "private" @open : memref<16xf16> = uninitialized {alignment = 64 : i64}
memref.global constant @long : memref<128xi16> = dense<"0x0000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F0000000010002000300040005000600070008000900A000B000C000D000E000F000">
func.func @views(%A: memref<?x64xf32, strided<[128, 2], offset: 7>>, %n: index, %u: memref<*xf32, 1>) -> memref<8x4xf32, strided<[?, ?], offset: ?>> {
  %c3 = arith.constant 3 : index
  %t = memref.get_global @table : memref<2x3xf32>
  %a = memref.alloc(%n) {alignment = 128 : i64} : memref<?x8xf32>
  %l = memref.alloca() : memref<32x33xf32, 3>
  %g = memref.alloc() : memref<4xf32, #gpu.address_space<workgroup>>
  %s = memref.subview %A[%n, 4] [8, 4] [%c3, 2] : memref<?x64xf32, strided<[128, 2], offset: 7>> to memref<8x4xf32, strided<[?, 4], offset: ?>>
  %c = memref.cast %s : memref<8x4xf32, strided<[?, 4], offset: ?>> to memref<8x4xf32, strided<[?, ?], offset: ?>>
  %r = memref.reinterpret_cast %a to offset: [2], sizes: [%n, 4], strides: [8, 1] : memref<?x8xf32> to memref<?x4xf32, strided<[8, 1], offset: 2>>
  %d = memref.dim %a, %c3 : memref<?x8xf32>
  %x = memref.load %a[%n, %c3] : memref<?x8xf32>
  memref.store %x, %a[%c3, %n] : memref<?x8xf32>
  %e = memref.expand_shape %t [[0], [1, 2]] output_shape [2, 3, 1] : memref<2x3xf32> into memref<2x3x1xf32>
  %k = memref.collapse_shape %e [[0, 1, 2]] : memref<2x3x1xf32> into memref<6xf32>
  %z = memref.transpose %t (i, j) -> (j, i) : memref<2x3xf32> to memref<3x2xf32, strided<[1, 3]>>
  %old = memref.atomic_rmw addf %x, %a[%n, %c3] : (f32, memref<?x8xf32>) -> f32
  %f = memref.generic_atomic_rmw %k[%c3] : memref<6xf32> {
    ^bb0(%v: f32):
      %w = arith.mulf %v, %v : f32
      memref.atomic_yield %w : f32
  }
  memref.dealloc %a : memref<?x8xf32>
  %nested = memref.alloca() : memref<2xmemref<4xf32>>
  %cmplx = memref.alloca() : memref<2xcomplex<f64>>
  %vecs = memref.alloca() : memref<2xvector<4xf32>>
  return %c : memref<8x4xf32, strided<[?, ?], offset: ?>>
}
