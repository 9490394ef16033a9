func.func @f(%A: memref<6x5xi8>, %B: memref<5x9xi8>, %C: memref<6x9xi32>) {
  affine.for %i = 0 to 6 {
    affine.for %j = 0 to 9 {
      affine.for %k = 0 to 5 {
        %a = affine.load %A[%i, %k] : memref<6x5xi8>
        %b = affine.load %B[%k, %j] : memref<5x9xi8>
        %c = affine.load %C[%i, %j] : memref<6x9xi32>
        %w = arith.extui %a : i8 to i32
        %v = arith.extsi %b : i8 to i32
        %p = arith.muli %w, %v : i32
        %s = arith.addi %c, %p : i32
        affine.store %s, %C[%i, %j] : memref<6x9xi32>
      }
    }
  }
  return
}
