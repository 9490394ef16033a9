module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
    %1 = arith.cmpi slt, %0, %c16 : index
    cf.cond_br %1, ^bb2, ^bb6
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
    %3 = arith.cmpi slt, %2, %c5 : index
    cf.cond_br %3, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %4 = arith.addi %0, %2 : index
    %5 = memref.load %arg0[%4] : memref<20xf64>
    %6 = memref.load %arg1[%2] : memref<5xf64>
    %7 = memref.load %arg2[%0] : memref<16xf64>
    %8 = arith.mulf %5, %6 : f64
    %9 = arith.addf %7, %8 : f64
    memref.store %9, %arg2[%0] : memref<16xf64>
    %10 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%10 : index)
  ^bb5:  // pred: ^bb3
    %11 = arith.addi %0, %c1 : index
    cf.br ^bb1(%11 : index)
  ^bb6:  // pred: ^bb1
    return
  }
}

