module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %c10 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c14 = arith.constant 14 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb7
    %3 = arith.cmpi slt, %2, %c14 : index
    cf.cond_br %3, ^bb4, ^bb8
  ^bb4:  // pred: ^bb3
    %c14_2 = arith.constant 14 : index
    %4 = arith.muli %0, %c14_2 : index
    %5 = arith.addi %4, %2 : index
    memref.store %cst, %arg2[%5] : memref<140xf32>
    %c0_3 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %c1_4 = arith.constant 1 : index
    cf.br ^bb5(%c0_3 : index)
  ^bb5(%6: index):  // 2 preds: ^bb4, ^bb6
    %7 = arith.cmpi slt, %6, %c24 : index
    cf.cond_br %7, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %c24_5 = arith.constant 24 : index
    %8 = arith.muli %0, %c24_5 : index
    %9 = arith.addi %8, %6 : index
    %10 = memref.load %arg0[%9] : memref<240xf32>
    %c14_6 = arith.constant 14 : index
    %11 = arith.muli %6, %c14_6 : index
    %12 = arith.addi %11, %2 : index
    %13 = memref.load %arg1[%12] : memref<336xf32>
    %c14_7 = arith.constant 14 : index
    %14 = arith.muli %0, %c14_7 : index
    %15 = arith.addi %14, %2 : index
    %16 = memref.load %arg2[%15] : memref<140xf32>
    %17 = arith.mulf %10, %13 : f32
    %18 = arith.addf %16, %17 : f32
    %c14_8 = arith.constant 14 : index
    %19 = arith.muli %0, %c14_8 : index
    %20 = arith.addi %19, %2 : index
    memref.store %18, %arg2[%20] : memref<140xf32>
    %21 = arith.addi %6, %c1_4 : index
    cf.br ^bb5(%21 : index)
  ^bb7:  // pred: ^bb5
    %22 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%22 : index)
  ^bb8:  // pred: ^bb3
    %23 = arith.addi %0, %c1 : index
    cf.br ^bb1(%23 : index)
  ^bb9:  // pred: ^bb1
    return
  }
}

