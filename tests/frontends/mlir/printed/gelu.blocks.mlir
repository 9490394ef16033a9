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
    %c0_4 = arith.constant 0 : index
    %c1_5 = arith.constant 1 : index
    cf.br ^bb1(%c0_4 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
    %1 = arith.cmpi slt, %0, %dim : index
    cf.cond_br %1, ^bb2, ^bb6
  ^bb2:  // pred: ^bb1
    %c0_6 = arith.constant 0 : index
    %c1_7 = arith.constant 1 : index
    cf.br ^bb3(%c0_6 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
    %3 = arith.cmpi slt, %2, %dim_3 : index
    cf.cond_br %3, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %4 = memref.load %arg1[%0, %2] : memref<?x?xf32>
    %5 = arith.mulf %4, %4 : f32
    %6 = arith.mulf %5, %4 : f32
    %7 = math.fma %cst_2, %6, %4 : f32
    %8 = arith.mulf %7, %cst_1 : f32
    %9 = math.tanh %8 fastmath<contract> : f32
    %10 = arith.addf %9, %cst_0 : f32
    %11 = arith.mulf %4, %cst : f32
    %12 = arith.mulf %11, %10 : f32
    %13 = arith.mulf %arg0, %12 : f32
    memref.store %13, %arg2[%0, %2] : memref<?x?xf32>
    %14 = arith.addi %2, %c1_7 : index
    cf.br ^bb3(%14 : index)
  ^bb5:  // pred: ^bb3
    %15 = arith.addi %0, %c1_5 : index
    cf.br ^bb1(%15 : index)
  ^bb6:  // pred: ^bb1
    return
  }
}

