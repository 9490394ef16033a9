module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %c0_1 = arith.constant 0 : index
    %c1_2 = arith.constant 1 : index
    cf.br ^bb1(%c0_1 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
    %1 = arith.cmpi slt, %0, %dim : index
    cf.cond_br %1, ^bb2, ^bb6
  ^bb2:  // pred: ^bb1
    %c0_3 = arith.constant 0 : index
    %c1_4 = arith.constant 1 : index
    cf.br ^bb3(%c0_3 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
    %3 = arith.cmpi slt, %2, %dim_0 : index
    cf.cond_br %3, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    memref.store %cst, %arg2[%0, %2] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %4 = arith.addi %2, %c1_4 : index
    cf.br ^bb3(%4 : index)
  ^bb5:  // pred: ^bb3
    %5 = arith.addi %0, %c1_2 : index
    cf.br ^bb1(%5 : index)
  ^bb6:  // pred: ^bb1
    %dim_5 = memref.dim %arg0, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_6 = memref.dim %arg0, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_7 = memref.dim %arg1, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %c0_8 = arith.constant 0 : index
    %c1_9 = arith.constant 1 : index
    cf.br ^bb7(%c0_8 : index)
  ^bb7(%6: index):  // 2 preds: ^bb6, ^bb14
    %7 = arith.cmpi slt, %6, %dim_5 : index
    cf.cond_br %7, ^bb8, ^bb15
  ^bb8:  // pred: ^bb7
    %c0_10 = arith.constant 0 : index
    %c1_11 = arith.constant 1 : index
    cf.br ^bb9(%c0_10 : index)
  ^bb9(%8: index):  // 2 preds: ^bb8, ^bb13
    %9 = arith.cmpi slt, %8, %dim_7 : index
    cf.cond_br %9, ^bb10, ^bb14
  ^bb10:  // pred: ^bb9
    %c0_12 = arith.constant 0 : index
    %c1_13 = arith.constant 1 : index
    cf.br ^bb11(%c0_12 : index)
  ^bb11(%10: index):  // 2 preds: ^bb10, ^bb12
    %11 = arith.cmpi slt, %10, %dim_6 : index
    cf.cond_br %11, ^bb12, ^bb13
  ^bb12:  // pred: ^bb11
    %12 = memref.load %arg0[%6, %10] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %13 = memref.load %arg1[%10, %8] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %14 = memref.load %arg2[%6, %8] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %15 = arith.mulf %12, %13 : f64
    %16 = arith.addf %14, %15 : f64
    memref.store %16, %arg2[%6, %8] : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %17 = arith.addi %10, %c1_13 : index
    cf.br ^bb11(%17 : index)
  ^bb13:  // pred: ^bb11
    %18 = arith.addi %8, %c1_11 : index
    cf.br ^bb9(%18 : index)
  ^bb14:  // pred: ^bb9
    %19 = arith.addi %6, %c1_9 : index
    cf.br ^bb7(%19 : index)
  ^bb15:  // pred: ^bb7
    return
  }
}

