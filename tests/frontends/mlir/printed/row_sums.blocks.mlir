module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
    %1 = arith.cmpi slt, %0, %c9 : index
    cf.cond_br %1, ^bb2, ^bb6
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c11 = arith.constant 11 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
    %3 = arith.cmpi slt, %2, %c11 : index
    cf.cond_br %3, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %4 = memref.load %arg0[%0, %2] : memref<9x11xf32>
    %5 = memref.load %arg1[%0] : memref<9xf32>
    %6 = memref.load %arg2[%0] : memref<9xf32>
    %7 = arith.addf %5, %4 : f32
    %8 = arith.maximumf %6, %4 : f32
    memref.store %7, %arg1[%0] : memref<9xf32>
    memref.store %8, %arg2[%0] : memref<9xf32>
    %9 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%9 : index)
  ^bb5:  // pred: ^bb3
    %10 = arith.addi %0, %c1 : index
    cf.br ^bb1(%10 : index)
  ^bb6:  // pred: ^bb1
    %c0_2 = arith.constant 0 : index
    %c9_3 = arith.constant 9 : index
    %c1_4 = arith.constant 1 : index
    cf.br ^bb7(%c0_2 : index)
  ^bb7(%11: index):  // 2 preds: ^bb6, ^bb11
    %12 = arith.cmpi slt, %11, %c9_3 : index
    cf.cond_br %12, ^bb8, ^bb12
  ^bb8:  // pred: ^bb7
    %c0_5 = arith.constant 0 : index
    %c11_6 = arith.constant 11 : index
    %c1_7 = arith.constant 1 : index
    cf.br ^bb9(%c0_5 : index)
  ^bb9(%13: index):  // 2 preds: ^bb8, ^bb10
    %14 = arith.cmpi slt, %13, %c11_6 : index
    cf.cond_br %14, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    %15 = arith.muli %11, %c100 : index
    %16 = arith.addi %15, %13 : index
    %17 = arith.index_cast %16 : index to i64
    memref.store %17, %arg3[%11, %13] : memref<9x11xi64>
    %18 = arith.addi %13, %c1_7 : index
    cf.br ^bb9(%18 : index)
  ^bb11:  // pred: ^bb9
    %19 = arith.addi %11, %c1_4 : index
    cf.br ^bb7(%19 : index)
  ^bb12:  // pred: ^bb7
    return
  }
}

