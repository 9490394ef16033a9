module {
  func.func private @axpy(%a: f32, %x: memref<?xf32>, %y: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    affine.for %i = 0 to %n {
      %0 = affine.load %x[%i] : memref<?xf32>
      %1 = arith.mulf %a, %0 : f32
      %2 = affine.load %y[%i] : memref<?xf32>
      %3 = arith.addf %1, %2 : f32
      affine.store %3, %y[%i] : memref<?xf32>
    }
    return
  }
  func.func private @dot(%x: memref<?xf32>, %y: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %n = memref.dim %x, %c0 : memref<?xf32>
    %z = arith.constant 0.0 : f32
    %r = affine.for %i = 0 to %n iter_args(%s = %z) -> (f32) {
      %0 = affine.load %x[%i] : memref<?xf32>
      %1 = affine.load %y[%i] : memref<?xf32>
      %2 = arith.mulf %0, %1 : f32
      %3 = arith.addf %s, %2 : f32
      affine.yield %3 : f32
    }
    return %r : f32
  }
  func.func @f(%x: memref<?xf32>, %y: memref<?xf32>) {
    %d = call @dot(%x, %y) : (memref<?xf32>, memref<?xf32>) -> f32
    call @axpy(%d, %x, %y) : (f32, memref<?xf32>, memref<?xf32>) -> ()
    return
  }
}
