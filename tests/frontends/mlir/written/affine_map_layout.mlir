#L = affine_map<(d0, d1) -> (d0 * 10 + d1 + 3)>
func.func @f(%X: memref<5x7xf32, #L>, %Y: memref<5x7xf32>) {
  affine.for %i = 0 to 5 {
    affine.for %j = 0 to 7 {
      %x = affine.load %X[%i, %j] : memref<5x7xf32, #L>
      affine.store %x, %Y[%i, %j] : memref<5x7xf32>
    }
  }
  return
}
