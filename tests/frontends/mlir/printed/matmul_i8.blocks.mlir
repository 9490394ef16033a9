module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %c9 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c11 = arith.constant 11 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb7
    %3 = arith.cmpi slt, %2, %c11 : index
    cf.cond_br %3, ^bb4, ^bb8
  ^bb4:  // pred: ^bb3
    %c0_2 = arith.constant 0 : index
    %c14 = arith.constant 14 : index
    %c1_3 = arith.constant 1 : index
    cf.br ^bb5(%c0_2 : index)
  ^bb5(%4: index):  // 2 preds: ^bb4, ^bb6
    %5 = arith.cmpi slt, %4, %c14 : index
    cf.cond_br %5, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %6 = memref.load %arg0[%0, %4] : memref<9x14xi8>
    %7 = memref.load %arg1[%4, %2] : memref<14x11xi8>
    %8 = memref.load %arg2[%0, %2] : memref<9x11xi32>
    %9 = arith.extsi %6 : i8 to i32
    %10 = arith.extsi %7 : i8 to i32
    %11 = arith.muli %9, %10 : i32
    %12 = arith.addi %8, %11 : i32
    memref.store %12, %arg2[%0, %2] : memref<9x11xi32>
    %13 = arith.addi %4, %c1_3 : index
    cf.br ^bb5(%13 : index)
  ^bb7:  // pred: ^bb5
    %14 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%14 : index)
  ^bb8:  // pred: ^bb3
    %15 = arith.addi %0, %c1 : index
    cf.br ^bb1(%15 : index)
  ^bb9:  // pred: ^bb1
    return
  }
}

