func.func @f(%X: memref<?x?xf64>, %steps: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %X, %c0 : memref<?x?xf64>
  %n = memref.dim %X, %c1 : memref<?x?xf64>
  %q = arith.constant 0.25 : f64
  %t = memref.alloc(%m, %n) : memref<?x?xf64>
  scf.for %s = %c0 to %steps step %c1 {
    memref.copy %X, %t : memref<?x?xf64> to memref<?x?xf64>
    affine.parallel (%i, %j) = (1, 1) to (symbol(%m) - 1, symbol(%n) - 1) {
      %a = affine.load %t[%i - 1, %j] : memref<?x?xf64>
      %b = affine.load %t[%i + 1, %j] : memref<?x?xf64>
      %c = affine.load %t[%i, %j - 1] : memref<?x?xf64>
      %d = affine.load %t[%i, %j + 1] : memref<?x?xf64>
      %e = arith.addf %a, %b : f64
      %g = arith.addf %c, %d : f64
      %h = arith.addf %e, %g : f64
      %k = arith.mulf %h, %q : f64
      affine.store %k, %X[%i, %j] : memref<?x?xf64>
    }
  }
  memref.dealloc %t : memref<?x?xf64>
  return
}
