func.func @f(%X: memref<8x9xf32>, %S: memref<3xf32>) {
  %r:3 = affine.parallel (%i, %j) = (0, 0) to (8, 9) step (1, 2) reduce ("addf", "maximumf", "mulf") -> (f32, f32, f32) {
    %x = affine.load %X[%i, %j] : memref<8x9xf32>
    affine.yield %x, %x, %x : f32, f32, f32
  }
  affine.store %r#0, %S[0] : memref<3xf32>
  affine.store %r#1, %S[1] : memref<3xf32>
  affine.store %r#2, %S[2] : memref<3xf32>
  return
}
