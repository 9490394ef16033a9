func.func @f(%X: memref<?xf64>, %s: memref<1xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf64>
  %t = memref.alloc(%n) : memref<?xf64>
  memref.copy %X, %t : memref<?xf64> to memref<?xf64>
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f64
  cf.br ^head(%c0, %zero : index, f64)
^head(%i: index, %a: f64):
  %go = arith.cmpi slt, %i, %n : index
  cf.cond_br %go, ^body, ^end
^body:
  %x = memref.load %t[%i] : memref<?xf64>
  %b = arith.addf %a, %x : f64
  %k = arith.addi %i, %c1 : index
  cf.br ^head(%k, %b : index, f64)
^end:
  memref.store %a, %s[%c0] : memref<1xf64>
  return
}
