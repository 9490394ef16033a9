func.func private @doubled(%x: memref<?xf64>, %y: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf64>
  %t = memref.alloc(%n) : memref<?xf64>
  memref.copy %x, %t : memref<?xf64> to memref<?xf64>
  affine.for %i = 0 to %n {
    %a = affine.load %t[%i] : memref<?xf64>
    %b = arith.addf %a, %a : f64
    affine.store %b, %y[%i] : memref<?xf64>
  }
  memref.dealloc %t : memref<?xf64>
  return
}
func.func @f(%x: memref<?xf64>, %y: memref<?xf64>, %n: index) {
  %s = memref.alloc(%n) : memref<?xf64>
  call @doubled(%x, %s) : (memref<?xf64>, memref<?xf64>) -> ()
  call @doubled(%s, %y) : (memref<?xf64>, memref<?xf64>) -> ()
  return
}
