func.func @f(%X: memref<?xindex>, %k: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c7 = arith.constant 7 : index
  %n = memref.dim %X, %c0 : memref<?xindex>
  scf.for %i = %c0 to %n step %c1 {
    %a = arith.muli %i, %c3 : index
    %b = arith.addi %a, %k : index
    %c = arith.remsi %b, %c7 : index
    %d = arith.divsi %b, %c3 : index
    %e = arith.maxsi %c, %d : index
    %g = arith.ceildivsi %e, %c3 : index
    %h = arith.floordivsi %b, %c7 : index
    %l = arith.shli %g, %c1 : index
    %m = arith.subi %l, %h : index
    memref.store %m, %X[%i] : memref<?xindex>
  }
  return
}
