// C = A B of matrices that lie in memory of one dimension, whose positions are computed.
func.func @f(%A: memref<240xf32>, %B: memref<336xf32>, %C: memref<140xf32>) {
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 10 {
    affine.for %j = 0 to 14 {
      affine.store %zero, %C[%i * 14 + %j] : memref<140xf32>
      affine.for %k = 0 to 24 {
        %a = affine.load %A[%i * 24 + %k] : memref<240xf32>
        %b = affine.load %B[%k * 14 + %j] : memref<336xf32>
        %c = affine.load %C[%i * 14 + %j] : memref<140xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i * 14 + %j] : memref<140xf32>
      }
    }
  }
  return
}
