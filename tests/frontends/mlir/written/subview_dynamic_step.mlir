func.func @f(%X: memref<?xf32>, %s: index, %n: index, %Y: memref<?xf32>) {
  %a = memref.subview %X[1] [%n] [%s] : memref<?xf32> to memref<?xf32, strided<[?], offset: 1>>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %x = memref.load %a[%i] : memref<?xf32, strided<[?], offset: 1>>
    memref.store %x, %Y[%i] : memref<?xf32>
  }
  return
}
