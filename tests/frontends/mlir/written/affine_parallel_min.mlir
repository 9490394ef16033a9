func.func @f(%X: memref<?xf32>, %n: index) {
  %z = arith.constant 0.0 : f32
  affine.parallel (%t) = (0) to (symbol(%n)) step (4) {
    affine.parallel (%i) = (%t) to (min(%t + 4, symbol(%n))) {
      affine.store %z, %X[%i] : memref<?xf32>
    }
  }
  return
}
