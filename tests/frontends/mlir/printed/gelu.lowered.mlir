module {
  func.func @f(%arg0: f32, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %c5 = arith.constant 5 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.797884583 : f32
    %cst_2 = arith.constant 4.471500e-02 : f32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg1, %c0 : memref<?x?xf32>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf32>
    scf.for %arg3 = %c0 to %dim step %c5 {
      scf.for %arg4 = %c0 to %dim_3 step %c5 {
        %0 = arith.addi %arg3, %c5 : index
        %1 = arith.minsi %0, %dim : index
        scf.for %arg5 = %arg3 to %1 step %c1 {
          %2 = arith.addi %arg4, %c5 : index
          %3 = arith.minsi %2, %dim_3 : index
          scf.for %arg6 = %arg4 to %3 step %c1 {
            %4 = memref.load %arg1[%arg5, %arg6] : memref<?x?xf32>
            %5 = arith.mulf %4, %4 : f32
            %6 = arith.mulf %5, %4 : f32
            %7 = math.fma %cst_2, %6, %4 : f32
            %8 = arith.mulf %7, %cst_1 : f32
            %9 = math.tanh %8 fastmath<contract> : f32
            %10 = arith.addf %9, %cst_0 : f32
            %11 = arith.mulf %4, %cst : f32
            %12 = arith.mulf %11, %10 : f32
            %13 = arith.mulf %arg0, %12 : f32
            memref.store %13, %arg2[%arg5, %arg6] : memref<?x?xf32>
          }
        }
      }
    }
    return
  }
}

