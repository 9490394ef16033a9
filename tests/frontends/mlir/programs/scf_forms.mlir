// Loops and branches of scf with carried values, a while, a parallel loop with a sum.
func.func @f(%X: memref<?xf64>, %n: index, %Y: memref<4xf64>, %K: memref<2xi64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %zero = arith.constant 0.0 : f64
  %sum, %count = scf.for %i = %c0 to %n step %c2 iter_args(%s = %zero, %k = %c0) -> (f64, index) {
    %x = memref.load %X[%i] : memref<?xf64>
    %p = arith.cmpf ogt, %x, %zero : f64
    %t = scf.if %p -> (f64) {
      %u = arith.addf %s, %x : f64
      scf.yield %u : f64
    } else {
      scf.yield %s : f64
    }
    %l = arith.addi %k, %c1 : index
    scf.yield %t, %l : f64, index
  }
  memref.store %sum, %Y[%c0] : memref<4xf64>
  %wide = arith.index_cast %count : index to i64
  memref.store %wide, %K[%c0] : memref<2xi64>
  %one = arith.constant 1 : i64
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %none = arith.constant 0 : i64
  %start = arith.constant 27 : i64
  %r:2 = scf.while (%x = %start, %k = %none) : (i64, i64) -> (i64, i64) {
    %go = arith.cmpi ne, %x, %one : i64
    scf.condition(%go) %x, %k : i64, i64
  } do {
  ^bb0(%x: i64, %k: i64):
    %odd = arith.remui %x, %two : i64
    %is = arith.cmpi eq, %odd, %one : i64
    %y = scf.if %is -> (i64) {
      %m = arith.muli %x, %three : i64
      %a = arith.addi %m, %one : i64
      scf.yield %a : i64
    } else {
      %h = arith.divui %x, %two : i64
      scf.yield %h : i64
    }
    %j = arith.addi %k, %one : i64
    scf.yield %y, %j : i64, i64
  }
  memref.store %r#1, %K[%c1] : memref<2xi64>
  %total = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero) -> f64 {
    %v = memref.load %X[%i] : memref<?xf64>
    scf.reduce(%v : f64) {
    ^bb0(%a: f64, %b: f64):
      %s = arith.addf %a, %b : f64
      scf.reduce.return %s : f64
    }
  }
  memref.store %total, %Y[%c1] : memref<4xf64>
  scf.parallel (%i) = (%c2) to (%c3) step (%c1) {
    %v = memref.load %X[%i] : memref<?xf64>
    memref.store %v, %Y[%i] : memref<4xf64>
    scf.reduce
  }
  %p = arith.cmpi sgt, %n, %c3 : index
  scf.if %p {
    memref.store %zero, %Y[%c3] : memref<4xf64>
  }
  return
}
