module {
  func @f(%arg0: memref<?x?xf32>, %arg1: memref<?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = memref.dim %arg0, %c0 : memref<?x?xf32>
    %1 = memref.dim %arg0, %c1 : memref<?x?xf32>
    scf.for %arg2 = %c0 to %0 step %c1 {
      %2 = memref.alloca(%1) : memref<?xf32>
      scf.for %arg3 = %c0 to %1 step %c1 {
        %4 = memref.load %arg0[%arg2, %arg3] : memref<?x?xf32>
        %5 = arith.mulf %4, %4 : f32
        memref.store %5, %2[%arg3] : memref<?xf32>
      }
      %cst = arith.constant 0.000000e+00 : f32
      %3 = scf.for %arg3 = %c0 to %1 step %c1 iter_args(%arg4 = %cst) -> (f32) {
        %4 = memref.load %2[%arg3] : memref<?xf32>
        %5 = arith.addf %arg4, %4 : f32
        scf.yield %5 : f32
      }
      memref.store %3, %arg1[%arg2] : memref<?xf32>
    }
    return
  }
}

