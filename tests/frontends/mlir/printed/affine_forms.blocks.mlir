module {
  func.func @f(%arg0: memref<?x?xi64>, %arg1: memref<?x?xi64>, %arg2: memref<?xi64>) {
    %c7_i64 = arith.constant 7 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xi64>
    %c0_0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0_0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb11
    %1 = arith.cmpi slt, %0, %dim : index
    cf.cond_br %1, ^bb2, ^bb12
  ^bb2:  // pred: ^bb1
    %c-3 = arith.constant -3 : index
    %2 = arith.addi %0, %c-3 : index
    %c0_1 = arith.constant 0 : index
    %3 = arith.maxsi %2, %c0_1 : index
    %c4 = arith.constant 4 : index
    %4 = arith.addi %0, %c4 : index
    %5 = arith.minsi %4, %dim : index
    %c2 = arith.constant 2 : index
    cf.br ^bb3(%3, %c0_i64 : index, i64)
  ^bb3(%6: index, %7: i64):  // 2 preds: ^bb2, ^bb8
    %8 = arith.cmpi slt, %6, %5 : index
    cf.cond_br %8, ^bb4, ^bb9
  ^bb4:  // pred: ^bb3
    %9 = memref.load %arg0[%0, %6] : memref<?x?xi64>
    %c0_2 = arith.constant 0 : index
    %c-1 = arith.constant -1 : index
    %10 = arith.muli %6, %c-1 : index
    %11 = arith.addi %0, %10 : index
    %12 = arith.cmpi sge, %11, %c0_2 : index
    %c-1_3 = arith.constant -1 : index
    %13 = arith.muli %0, %c-1_3 : index
    %14 = arith.addi %13, %dim : index
    %c-1_4 = arith.constant -1 : index
    %15 = arith.muli %6, %c-1_4 : index
    %16 = arith.addi %14, %15 : index
    %c-1_5 = arith.constant -1 : index
    %17 = arith.addi %16, %c-1_5 : index
    %18 = arith.cmpi sge, %17, %c0_2 : index
    %19 = arith.andi %12, %18 : i1
    cf.cond_br %19, ^bb5, ^bb6
  ^bb5:  // pred: ^bb4
    %20 = arith.addi %7, %9 : i64
    cf.br ^bb7(%20 : i64)
  ^bb6:  // pred: ^bb4
    %21 = arith.subi %7, %9 : i64
    cf.br ^bb7(%21 : i64)
  ^bb7(%22: i64):  // 2 preds: ^bb5, ^bb6
    cf.br ^bb8
  ^bb8:  // pred: ^bb7
    %23 = arith.addi %6, %c2 : index
    cf.br ^bb3(%23, %22 : index, i64)
  ^bb9:  // pred: ^bb3
    memref.store %7, %arg2[%0] : memref<?xi64>
    %c0_6 = arith.constant 0 : index
    %c2_7 = arith.constant 2 : index
    %24 = arith.remsi %0, %c2_7 : index
    %c0_8 = arith.constant 0 : index
    %25 = arith.cmpi slt, %24, %c0_8 : index
    %26 = arith.addi %24, %c2_7 : index
    %27 = arith.select %25, %26, %24 : index
    %28 = arith.cmpi eq, %27, %c0_6 : index
    cf.cond_br %28, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    memref.store %c7_i64, %arg2[%0] : memref<?xi64>
    cf.br ^bb11
  ^bb11:  // 2 preds: ^bb9, ^bb10
    %29 = arith.addi %0, %c1 : index
    cf.br ^bb1(%29 : index)
  ^bb12:  // pred: ^bb1
    %c0_9 = arith.constant 0 : index
    %c0_10 = arith.constant 0 : index
    %c1_11 = arith.constant 1 : index
    %c1_12 = arith.constant 1 : index
    cf.br ^bb13(%c0_9 : index)
  ^bb13(%30: index):  // 2 preds: ^bb12, ^bb17
    %31 = arith.cmpi slt, %30, %dim : index
    cf.cond_br %31, ^bb14, ^bb18
  ^bb14:  // pred: ^bb13
    cf.br ^bb15(%c0_10 : index)
  ^bb15(%32: index):  // 2 preds: ^bb14, ^bb16
    %33 = arith.cmpi slt, %32, %dim : index
    cf.cond_br %33, ^bb16, ^bb17
  ^bb16:  // pred: ^bb15
    %c2_13 = arith.constant 2 : index
    %34 = arith.muli %30, %c2_13 : index
    %c3 = arith.constant 3 : index
    %35 = arith.muli %32, %c3 : index
    %36 = arith.addi %34, %35 : index
    %c-5 = arith.constant -5 : index
    %37 = arith.addi %36, %c-5 : index
    %38 = arith.remsi %37, %dim : index
    %c0_14 = arith.constant 0 : index
    %39 = arith.cmpi slt, %38, %c0_14 : index
    %40 = arith.addi %38, %dim : index
    %41 = arith.select %39, %40, %38 : index
    %c2_15 = arith.constant 2 : index
    %c0_16 = arith.constant 0 : index
    %c-1_17 = arith.constant -1 : index
    %42 = arith.cmpi slt, %41, %c0_16 : index
    %43 = arith.subi %c-1_17, %41 : index
    %44 = arith.select %42, %43, %41 : index
    %45 = arith.divsi %44, %c2_15 : index
    %46 = arith.subi %c-1_17, %45 : index
    %47 = arith.select %42, %46, %45 : index
    %c-1_18 = arith.constant -1 : index
    %48 = arith.addi %dim, %c-1_18 : index
    %49 = arith.minsi %47, %48 : index
    %c-9 = arith.constant -9 : index
    %50 = arith.addi %49, %c-9 : index
    %c4_19 = arith.constant 4 : index
    %c0_20 = arith.constant 0 : index
    %c1_21 = arith.constant 1 : index
    %51 = arith.cmpi sle, %50, %c0_20 : index
    %52 = arith.subi %c0_20, %50 : index
    %53 = arith.subi %50, %c1_21 : index
    %54 = arith.select %51, %52, %53 : index
    %55 = arith.divsi %54, %c4_19 : index
    %56 = arith.subi %c0_20, %55 : index
    %57 = arith.addi %55, %c1_21 : index
    %58 = arith.select %51, %56, %57 : index
    %c0_22 = arith.constant 0 : index
    %59 = arith.maxsi %58, %c0_22 : index
    %c-1_23 = arith.constant -1 : index
    %60 = arith.addi %dim, %c-1_23 : index
    %61 = memref.load %arg0[%41, %60] : memref<?x?xi64>
    %62 = memref.load %arg0[%49, %59] : memref<?x?xi64>
    %63 = arith.addi %61, %62 : i64
    memref.store %63, %arg1[%30, %32] : memref<?x?xi64>
    %64 = arith.addi %32, %c1_12 : index
    cf.br ^bb15(%64 : index)
  ^bb17:  // pred: ^bb15
    %65 = arith.addi %30, %c1_11 : index
    cf.br ^bb13(%65 : index)
  ^bb18:  // pred: ^bb13
    return
  }
}

