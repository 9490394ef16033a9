module {
  func.func @f(%arg0: memref<?x8xf32>, %arg1: memref<?x8xf32>) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x8xf32>
    affine.parallel (%arg2) = (0) to (%dim) {
      %alloc = memref.alloc() : memref<8xf32>
      affine.for %arg3 = 0 to 8 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<?x8xf32>
        affine.store %0, %alloc[-%arg3 + 7] : memref<8xf32>
      }
      affine.for %arg3 = 0 to 8 {
        %0 = affine.load %alloc[%arg3] : memref<8xf32>
        affine.store %0, %arg1[%arg2, %arg3] : memref<?x8xf32>
      }
      memref.dealloc %alloc : memref<8xf32>
    }
    return
  }
}

