func.func @f(%A: memref<6x5xf16>, %B: memref<5x9xf32>, %C: memref<6x9xf32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 9 {
      affine.for %k = 0 to 5 {
        %a = affine.load %A[%i, %k] : memref<6x5xf16>
        %b = affine.load %B[%k, %j] : memref<5x9xf32>
        %c = affine.load %C[%i, %j] : memref<6x9xf32>
        %w = arith.extf %a : f16 to f32
        %p = arith.mulf %w, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<6x9xf32>
      }
    }
  }
  return
}
