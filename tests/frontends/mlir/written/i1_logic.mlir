func.func @f(%X: memref<?xi32>, %Y: memref<?xi32>, %flag: i1) {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %n = memref.dim %X, %c0 : memref<?xi32>
  %z = arith.constant 0 : i32
  %five = arith.constant 5 : i32
  %notflag = arith.xori %flag, %true : i1
  affine.for %i = 0 to %n {
    %x = affine.load %X[%i] : memref<?xi32>
    %p = arith.cmpi sgt, %x, %z : i32
    %q = arith.cmpi slt, %x, %five : i32
    %a = arith.andi %p, %q : i1
    %b = arith.ori %a, %notflag : i1
    %s = arith.select %b, %x, %z : i32
    %e = arith.extui %b : i1 to i32
    %t = arith.addi %s, %e : i32
    affine.store %t, %Y[%i] : memref<?xi32>
  }
  return
}
