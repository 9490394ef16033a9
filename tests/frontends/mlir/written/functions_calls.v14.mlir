module {
  func private @axpy(%arg0: f32, %arg1: memref<?xf32>, %arg2: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %0 = memref.dim %arg1, %c0 : memref<?xf32>
    affine.for %arg3 = 0 to %0 {
      %1 = affine.load %arg1[%arg3] : memref<?xf32>
      %2 = arith.mulf %arg0, %1 : f32
      %3 = affine.load %arg2[%arg3] : memref<?xf32>
      %4 = arith.addf %2, %3 : f32
      affine.store %4, %arg2[%arg3] : memref<?xf32>
    }
    return
  }
  func private @dot(%arg0: memref<?xf32>, %arg1: memref<?xf32>) -> f32 {
    %c0 = arith.constant 0 : index
    %0 = memref.dim %arg0, %c0 : memref<?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = affine.for %arg2 = 0 to %0 iter_args(%arg3 = %cst) -> (f32) {
      %2 = affine.load %arg0[%arg2] : memref<?xf32>
      %3 = affine.load %arg1[%arg2] : memref<?xf32>
      %4 = arith.mulf %2, %3 : f32
      %5 = arith.addf %arg3, %4 : f32
      affine.yield %5 : f32
    }
    return %1 : f32
  }
  func @f(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %0 = call @dot(%arg0, %arg1) : (memref<?xf32>, memref<?xf32>) -> f32
    call @axpy(%0, %arg0, %arg1) : (f32, memref<?xf32>, memref<?xf32>) -> ()
    return
  }
}

