module {
  func @f(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = memref.dim %arg0, %c0 : memref<?x?xf32>
    %1 = memref.dim %arg1, %c1 : memref<?x?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %2 = memref.alloc(%0, %1) : memref<?x?xf32>
    linalg.fill(%cst, %2) : f32, memref<?x?xf32> 
    linalg.matmul ins(%arg0, %arg1 : memref<?x?xf32>, memref<?x?xf32>) outs(%2 : memref<?x?xf32>)
    affine.for %arg3 = 0 to %0 {
      affine.for %arg4 = 0 to %1 {
        %3 = affine.load %2[%arg3, %arg4] : memref<?x?xf32>
        %4 = math.tanh %3 : f32
        affine.store %4, %arg2[%arg3, %arg4] : memref<?x?xf32>
      }
    }
    memref.dealloc %2 : memref<?x?xf32>
    return
  }
}

