func.func @f(%X: memref<?xf32>, %n: index) {
  %c2 = arith.constant 2 : index
  %h = arith.divsi %n, %c2 : index
  %even = memref.subview %X[0] [%h] [2] : memref<?xf32> to memref<?xf32, strided<[2]>>
  %odd = memref.subview %X[1] [%h] [2] : memref<?xf32> to memref<?xf32, strided<[2], offset: 1>>
  affine.for %i = 0 to %h {
    %x = affine.load %even[%i] : memref<?xf32, strided<[2]>>
    %y = affine.load %odd[%i] : memref<?xf32, strided<[2], offset: 1>>
    %s = arith.addf %x, %y : f32
    %d = arith.subf %x, %y : f32
    affine.store %s, %even[%i] : memref<?xf32, strided<[2]>>
    affine.store %d, %odd[%i] : memref<?xf32, strided<[2], offset: 1>>
  }
  return
}
