module {
  func.func @f(%arg0: memref<?xf32>, %arg1: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    affine.for %arg2 = 0 to %dim {
      %0 = affine.load %arg0[-%arg2 + symbol(%dim) - 1] : memref<?xf32>
      affine.store %0, %arg1[%arg2] : memref<?xf32>
    }
    return
  }
}

