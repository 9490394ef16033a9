memref.global "private" constant @taps : memref<3xf32> = dense<[0.25, 0.5, 0.25]>
memref.global "private" @acc : memref<4xi32> = dense<7>
func.func @f(%X: memref<?xf32>, %Y: memref<?xf32>, %K: memref<4xi32>) {
  %t = memref.get_global @taps : memref<3xf32>
  %g = memref.get_global @acc : memref<4xi32>
  %c0 = arith.constant 0 : index
  %n = memref.dim %Y, %c0 : memref<?xf32>
  affine.for %i = 0 to %n {
    affine.for %k = 0 to 3 {
      %x = affine.load %X[%i + %k] : memref<?xf32>
      %w = affine.load %t[%k] : memref<3xf32>
      %p = arith.mulf %x, %w : f32
      %y = affine.load %Y[%i] : memref<?xf32>
      %s = arith.addf %y, %p : f32
      affine.store %s, %Y[%i] : memref<?xf32>
    }
  }
  memref.copy %g, %K : memref<4xi32> to memref<4xi32>
  return
}
