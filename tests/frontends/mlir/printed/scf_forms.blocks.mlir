module {
  func.func @f(%arg0: memref<?xf64>, %arg1: index, %arg2: memref<4xf64>, %arg3: memref<2xi64>) {
    %c27_i64 = arith.constant 27 : i64
    %c0_i64 = arith.constant 0 : i64
    %c3_i64 = arith.constant 3 : i64
    %c2_i64 = arith.constant 2 : i64
    %c1_i64 = arith.constant 1 : i64
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %cst = arith.constant 0.000000e+00 : f64
    cf.br ^bb1(%c0, %cst, %c0 : index, f64, index)
  ^bb1(%0: index, %1: f64, %2: index):  // 2 preds: ^bb0, ^bb6
    %3 = arith.cmpi slt, %0, %arg1 : index
    cf.cond_br %3, ^bb2, ^bb7
  ^bb2:  // pred: ^bb1
    %4 = memref.load %arg0[%0] : memref<?xf64>
    %5 = arith.cmpf ogt, %4, %cst : f64
    cf.cond_br %5, ^bb3, ^bb4
  ^bb3:  // pred: ^bb2
    %6 = arith.addf %1, %4 : f64
    cf.br ^bb5(%6 : f64)
  ^bb4:  // pred: ^bb2
    cf.br ^bb5(%1 : f64)
  ^bb5(%7: f64):  // 2 preds: ^bb3, ^bb4
    cf.br ^bb6
  ^bb6:  // pred: ^bb5
    %8 = arith.addi %2, %c1 : index
    %9 = arith.addi %0, %c2 : index
    cf.br ^bb1(%9, %7, %8 : index, f64, index)
  ^bb7:  // pred: ^bb1
    memref.store %1, %arg2[%c0] : memref<4xf64>
    %10 = arith.index_cast %2 : index to i64
    memref.store %10, %arg3[%c0] : memref<2xi64>
    cf.br ^bb8(%c27_i64, %c0_i64 : i64, i64)
  ^bb8(%11: i64, %12: i64):  // 2 preds: ^bb7, ^bb13
    %13 = arith.cmpi ne, %11, %c1_i64 : i64
    cf.cond_br %13, ^bb9(%11, %12 : i64, i64), ^bb14
  ^bb9(%14: i64, %15: i64):  // pred: ^bb8
    %16 = arith.remui %14, %c2_i64 : i64
    %17 = arith.cmpi eq, %16, %c1_i64 : i64
    cf.cond_br %17, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    %18 = arith.muli %14, %c3_i64 : i64
    %19 = arith.addi %18, %c1_i64 : i64
    cf.br ^bb12(%19 : i64)
  ^bb11:  // pred: ^bb9
    %20 = arith.divui %14, %c2_i64 : i64
    cf.br ^bb12(%20 : i64)
  ^bb12(%21: i64):  // 2 preds: ^bb10, ^bb11
    cf.br ^bb13
  ^bb13:  // pred: ^bb12
    %22 = arith.addi %15, %c1_i64 : i64
    cf.br ^bb8(%21, %22 : i64, i64)
  ^bb14:  // pred: ^bb8
    memref.store %12, %arg3[%c1] : memref<2xi64>
    cf.br ^bb15(%c0, %cst : index, f64)
  ^bb15(%23: index, %24: f64):  // 2 preds: ^bb14, ^bb16
    %25 = arith.cmpi slt, %23, %arg1 : index
    cf.cond_br %25, ^bb16, ^bb17
  ^bb16:  // pred: ^bb15
    %26 = memref.load %arg0[%23] : memref<?xf64>
    %27 = arith.addf %24, %26 : f64
    %28 = arith.addi %23, %c1 : index
    cf.br ^bb15(%28, %27 : index, f64)
  ^bb17:  // pred: ^bb15
    memref.store %24, %arg2[%c1] : memref<4xf64>
    cf.br ^bb18(%c2 : index)
  ^bb18(%29: index):  // 2 preds: ^bb17, ^bb19
    %30 = arith.cmpi slt, %29, %c3 : index
    cf.cond_br %30, ^bb19, ^bb20
  ^bb19:  // pred: ^bb18
    %31 = memref.load %arg0[%29] : memref<?xf64>
    memref.store %31, %arg2[%29] : memref<4xf64>
    %32 = arith.addi %29, %c1 : index
    cf.br ^bb18(%32 : index)
  ^bb20:  // pred: ^bb18
    %33 = arith.cmpi sgt, %arg1, %c3 : index
    cf.cond_br %33, ^bb21, ^bb22
  ^bb21:  // pred: ^bb20
    memref.store %cst, %arg2[%c3] : memref<4xf64>
    cf.br ^bb22
  ^bb22:  // 2 preds: ^bb20, ^bb21
    return
  }
}

