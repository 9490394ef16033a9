func.func @f(%X: memref<?x?xf32>, %Y: memref<?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %X, %c0 : memref<?x?xf32>
  %n = memref.dim %X, %c1 : memref<?x?xf32>
  scf.for %i = %c0 to %m step %c1 {
    %row = memref.alloca(%n) : memref<?xf32>
    scf.for %j = %c0 to %n step %c1 {
      %x = memref.load %X[%i, %j] : memref<?x?xf32>
      %y = arith.mulf %x, %x : f32
      memref.store %y, %row[%j] : memref<?xf32>
    }
    %z = arith.constant 0.0 : f32
    %s = scf.for %j = %c0 to %n step %c1 iter_args(%a = %z) -> (f32) {
      %x = memref.load %row[%j] : memref<?xf32>
      %b = arith.addf %a, %x : f32
      scf.yield %b : f32
    }
    memref.store %s, %Y[%i] : memref<?xf32>
  }
  return
}
