#min = affine_map<(d0)[s0, s1] -> (s1, s0 - d0)>
func.func @f(%X: memref<?x5xf32>, %Y: memref<?x5xf32>, %tile: index) {
  %c0 = arith.constant 0 : index
  %m = memref.dim %X, %c0 : memref<?x5xf32>
  scf.for %i = %c0 to %m step %tile {
    %s = affine.min #min(%i)[%m, %tile]
    %t = memref.alloc(%s) : memref<?x5xf32>
    %part = memref.subview %X[%i, 0] [%s, 5] [1, 1] : memref<?x5xf32> to memref<?x5xf32, strided<[5, 1], offset: ?>>
    %out = memref.subview %Y[%i, 0] [%s, 5] [1, 1] : memref<?x5xf32> to memref<?x5xf32, strided<[5, 1], offset: ?>>
    memref.copy %part, %t : memref<?x5xf32, strided<[5, 1], offset: ?>> to memref<?x5xf32>
    linalg.mul ins(%t, %t : memref<?x5xf32>, memref<?x5xf32>) outs(%out : memref<?x5xf32, strided<[5, 1], offset: ?>>)
    memref.dealloc %t : memref<?x5xf32>
  }
  return
}
