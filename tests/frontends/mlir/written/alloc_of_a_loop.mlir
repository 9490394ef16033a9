func.func @f(%X: memref<?x?xf32>, %Y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?x?xf32>
  affine.for %i = 0 to %n {
    %t = memref.alloc(%i) : memref<?xf32>
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %x = affine.load %X[%i, %j] : memref<?x?xf32>
      affine.store %x, %t[%i - %j - 1] : memref<?xf32>
    }
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      %x = affine.load %t[%j] : memref<?xf32>
      %y = affine.load %Y[%j] : memref<?xf32>
      %z = arith.addf %x, %y : f32
      affine.store %z, %Y[%j] : memref<?xf32>
    }
    memref.dealloc %t : memref<?xf32>
  }
  return
}
