func.func @f(%X: memref<?x?xf32>, %Y: memref<?x?xf32>, %lo: index, %hi: index) {
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %cst = arith.constant 2.0 : f32
  scf.parallel (%i, %j) = (%lo, %lo) to (%hi, %hi) step (%c1, %c2) {
    %x = memref.load %X[%i, %j] : memref<?x?xf32>
    %y = arith.mulf %x, %cst : f32
    memref.store %y, %Y[%j, %i] : memref<?x?xf32>
    scf.reduce
  }
  return
}
