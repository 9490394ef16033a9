func.func @f(%X: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %X, %c0 : memref<?xf64>
  %half = arith.constant 0.5 : f64
  %eps = arith.constant 1.0e-13 : f64
  scf.for %i = %c0 to %n step %c1 {
    %a = memref.load %X[%i] : memref<?xf64>
    %r = scf.while (%x = %a) : (f64) -> f64 {
      %sq = arith.mulf %x, %x : f64
      %d = arith.subf %sq, %a : f64
      %ab = math.absf %d : f64
      %lim = arith.mulf %a, %eps : f64
      %go = arith.cmpf ogt, %ab, %lim : f64
      scf.condition(%go) %x : f64
    } do {
    ^bb0(%x: f64):
      %q = arith.divf %a, %x : f64
      %s = arith.addf %x, %q : f64
      %h = arith.mulf %s, %half : f64
      scf.yield %h : f64
    }
    memref.store %r, %X[%i] : memref<?xf64>
  }
  return
}
