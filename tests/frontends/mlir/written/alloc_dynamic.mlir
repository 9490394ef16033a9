func.func @f(%X: memref<?x?xf32>, %W: memref<?x?xf32>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %X, %c0 : memref<?x?xf32>
  %n = memref.dim %W, %c1 : memref<?x?xf32>
  %z = arith.constant 0.0 : f32
  %t = memref.alloc(%m, %n) : memref<?x?xf32>
  linalg.fill ins(%z : f32) outs(%t : memref<?x?xf32>)
  linalg.matmul ins(%X, %W : memref<?x?xf32>, memref<?x?xf32>) outs(%t : memref<?x?xf32>)
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      %v = affine.load %t[%i, %j] : memref<?x?xf32>
      %e = math.tanh %v : f32
      affine.store %e, %Y[%i, %j] : memref<?x?xf32>
    }
  }
  memref.dealloc %t : memref<?x?xf32>
  return
}
