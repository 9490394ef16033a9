module {
  func.func @f(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?x?xf32>
    %dim_1 = memref.dim %arg0, %c2 : memref<?x?x?xf32>
    %dim_2 = memref.dim %arg1, %c2 : memref<?x?x?xf32>
    %c0_3 = arith.constant 0 : index
    %c1_4 = arith.constant 1 : index
    cf.br ^bb1(%c0_3 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb11
    %1 = arith.cmpi slt, %0, %dim : index
    cf.cond_br %1, ^bb2, ^bb12
  ^bb2:  // pred: ^bb1
    %c0_5 = arith.constant 0 : index
    %c1_6 = arith.constant 1 : index
    cf.br ^bb3(%c0_5 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb10
    %3 = arith.cmpi slt, %2, %dim_0 : index
    cf.cond_br %3, ^bb4, ^bb11
  ^bb4:  // pred: ^bb3
    %c0_7 = arith.constant 0 : index
    %c1_8 = arith.constant 1 : index
    cf.br ^bb5(%c0_7 : index)
  ^bb5(%4: index):  // 2 preds: ^bb4, ^bb9
    %5 = arith.cmpi slt, %4, %dim_2 : index
    cf.cond_br %5, ^bb6, ^bb10
  ^bb6:  // pred: ^bb5
    %c0_9 = arith.constant 0 : index
    %c1_10 = arith.constant 1 : index
    cf.br ^bb7(%c0_9 : index)
  ^bb7(%6: index):  // 2 preds: ^bb6, ^bb8
    %7 = arith.cmpi slt, %6, %dim_1 : index
    cf.cond_br %7, ^bb8, ^bb9
  ^bb8:  // pred: ^bb7
    %8 = memref.load %arg0[%0, %2, %6] : memref<?x?x?xf32>
    %9 = memref.load %arg1[%0, %6, %4] : memref<?x?x?xf32>
    %10 = memref.load %arg2[%0, %2, %4] : memref<?x?x?xf32>
    %11 = arith.mulf %8, %9 : f32
    %12 = arith.addf %10, %11 : f32
    memref.store %12, %arg2[%0, %2, %4] : memref<?x?x?xf32>
    %13 = arith.addi %6, %c1_10 : index
    cf.br ^bb7(%13 : index)
  ^bb9:  // pred: ^bb7
    %14 = arith.addi %4, %c1_8 : index
    cf.br ^bb5(%14 : index)
  ^bb10:  // pred: ^bb5
    %15 = arith.addi %2, %c1_6 : index
    cf.br ^bb3(%15 : index)
  ^bb11:  // pred: ^bb3
    %16 = arith.addi %0, %c1_4 : index
    cf.br ^bb1(%16 : index)
  ^bb12:  // pred: ^bb1
    return
  }
}

