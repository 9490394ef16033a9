module {
  func.func @f(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %arg3 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb7
    %3 = arith.cmpi slt, %2, %arg4 : index
    cf.cond_br %3, ^bb4, ^bb8
  ^bb4:  // pred: ^bb3
    %c0_2 = arith.constant 0 : index
    %c1_3 = arith.constant 1 : index
    cf.br ^bb5(%c0_2 : index)
  ^bb5(%4: index):  // 2 preds: ^bb4, ^bb6
    %5 = arith.cmpi slt, %4, %arg5 : index
    cf.cond_br %5, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %6 = arith.muli %0, %arg5 : index
    %7 = arith.addi %6, %4 : index
    %8 = arith.muli %4, %arg4 : index
    %9 = arith.addi %8, %2 : index
    %10 = arith.muli %0, %arg4 : index
    %11 = arith.addi %10, %2 : index
    %12 = memref.load %arg0[%7] : memref<?xf64>
    %13 = memref.load %arg1[%9] : memref<?xf64>
    %14 = memref.load %arg2[%11] : memref<?xf64>
    %15 = arith.mulf %12, %13 : f64
    %16 = arith.addf %14, %15 : f64
    memref.store %16, %arg2[%11] : memref<?xf64>
    %17 = arith.addi %4, %c1_3 : index
    cf.br ^bb5(%17 : index)
  ^bb7:  // pred: ^bb5
    %18 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%18 : index)
  ^bb8:  // pred: ^bb3
    %19 = arith.addi %0, %c1 : index
    cf.br ^bb1(%19 : index)
  ^bb9:  // pred: ^bb1
    return
  }
}

