module {
  func.func @f(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    %dim_1 = memref.dim %arg1, %c1 : memref<?x?xf32>
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%dim, %dim_1) step (%c1, %c1) {
      %0 = scf.for %arg5 = %c0 to %dim_0 step %c1 iter_args(%arg6 = %cst) -> (f32) {
        %1 = memref.load %arg0[%arg3, %arg5] : memref<?x?xf32>
        %2 = memref.load %arg1[%arg5, %arg4] : memref<?x?xf32>
        %3 = arith.mulf %1, %2 : f32
        %4 = arith.addf %arg6, %3 : f32
        scf.yield %4 : f32
      }
      memref.store %0, %arg2[%arg3, %arg4] : memref<?x?xf32>
      scf.reduce 
    }
    return
  }
}

