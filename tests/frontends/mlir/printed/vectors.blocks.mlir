module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb5
    %1 = arith.cmpi slt, %0, %c8 : index
    cf.cond_br %1, ^bb2, ^bb6
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c13 = arith.constant 13 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb4
    %3 = arith.cmpi slt, %2, %c13 : index
    cf.cond_br %3, ^bb4, ^bb5
  ^bb4:  // pred: ^bb3
    %4 = memref.load %arg0[%0, %2] : memref<8x13xf64>
    %5 = memref.load %arg1[%2] : memref<13xf64>
    %6 = memref.load %arg2[%0] : memref<8xf64>
    %7 = arith.mulf %4, %5 : f64
    %8 = arith.addf %6, %7 : f64
    memref.store %8, %arg2[%0] : memref<8xf64>
    %9 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%9 : index)
  ^bb5:  // pred: ^bb3
    %10 = arith.addi %0, %c1 : index
    cf.br ^bb1(%10 : index)
  ^bb6:  // pred: ^bb1
    %c0_2 = arith.constant 0 : index
    %c13_3 = arith.constant 13 : index
    %c1_4 = arith.constant 1 : index
    cf.br ^bb7(%c0_2 : index)
  ^bb7(%11: index):  // 2 preds: ^bb6, ^bb11
    %12 = arith.cmpi slt, %11, %c13_3 : index
    cf.cond_br %12, ^bb8, ^bb12
  ^bb8:  // pred: ^bb7
    %c0_5 = arith.constant 0 : index
    %c8_6 = arith.constant 8 : index
    %c1_7 = arith.constant 1 : index
    cf.br ^bb9(%c0_5 : index)
  ^bb9(%13: index):  // 2 preds: ^bb8, ^bb10
    %14 = arith.cmpi slt, %13, %c8_6 : index
    cf.cond_br %14, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    %15 = memref.load %arg2[%13] : memref<8xf64>
    %16 = memref.load %arg0[%13, %11] : memref<8x13xf64>
    %17 = memref.load %arg3[%11] : memref<13xf64>
    %18 = arith.mulf %15, %16 : f64
    %19 = arith.addf %17, %18 : f64
    memref.store %19, %arg3[%11] : memref<13xf64>
    %20 = arith.addi %13, %c1_7 : index
    cf.br ^bb9(%20 : index)
  ^bb11:  // pred: ^bb9
    %21 = arith.addi %11, %c1_4 : index
    cf.br ^bb7(%21 : index)
  ^bb12:  // pred: ^bb7
    %c0_8 = arith.constant 0 : index
    %c13_9 = arith.constant 13 : index
    %c1_10 = arith.constant 1 : index
    cf.br ^bb13(%c0_8 : index)
  ^bb13(%22: index):  // 2 preds: ^bb12, ^bb14
    %23 = arith.cmpi slt, %22, %c13_9 : index
    cf.cond_br %23, ^bb14, ^bb15
  ^bb14:  // pred: ^bb13
    %24 = memref.load %arg1[%22] : memref<13xf64>
    %25 = memref.load %arg3[%22] : memref<13xf64>
    %26 = memref.load %arg4[] : memref<f64>
    %27 = arith.mulf %24, %25 : f64
    %28 = arith.addf %26, %27 : f64
    memref.store %28, %arg4[] : memref<f64>
    %29 = arith.addi %22, %c1_10 : index
    cf.br ^bb13(%29 : index)
  ^bb15:  // pred: ^bb13
    return
  }
}

