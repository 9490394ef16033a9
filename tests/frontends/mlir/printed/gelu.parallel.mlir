module {
  func.func @f(%arg0: f32, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.797884583 : f32
    %cst_2 = arith.constant 4.471500e-02 : f32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg1, %c0 : memref<?x?xf32>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf32>
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%dim, %dim_3) step (%c1, %c1) {
      %0 = memref.load %arg1[%arg3, %arg4] : memref<?x?xf32>
      %1 = arith.mulf %0, %0 : f32
      %2 = arith.mulf %1, %0 : f32
      %3 = math.fma %cst_2, %2, %0 : f32
      %4 = arith.mulf %3, %cst_1 : f32
      %5 = math.tanh %4 fastmath<contract> : f32
      %6 = arith.addf %5, %cst_0 : f32
      %7 = arith.mulf %0, %cst : f32
      %8 = arith.mulf %7, %6 : f32
      %9 = arith.mulf %arg0, %8 : f32
      memref.store %9, %arg2[%arg3, %arg4] : memref<?x?xf32>
      scf.reduce 
    }
    return
  }
}

