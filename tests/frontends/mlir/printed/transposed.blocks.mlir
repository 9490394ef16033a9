module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %c10 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb7
    %3 = arith.cmpi slt, %2, %c8 : index
    cf.cond_br %3, ^bb4, ^bb8
  ^bb4:  // pred: ^bb3
    %c0_2 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c1_3 = arith.constant 1 : index
    cf.br ^bb5(%c0_2 : index)
  ^bb5(%4: index):  // 2 preds: ^bb4, ^bb6
    %5 = arith.cmpi slt, %4, %c6 : index
    cf.cond_br %5, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %6 = memref.load %arg0[%4, %0] : memref<6x10xf32>
    %7 = memref.load %arg1[%4, %2] : memref<6x8xf32>
    %8 = memref.load %arg2[%0, %2] : memref<10x8xf32>
    %9 = arith.mulf %6, %7 : f32
    %10 = arith.addf %8, %9 : f32
    memref.store %10, %arg2[%0, %2] : memref<10x8xf32>
    %11 = arith.addi %4, %c1_3 : index
    cf.br ^bb5(%11 : index)
  ^bb7:  // pred: ^bb5
    %12 = arith.addi %2, %c1_1 : index
    cf.br ^bb3(%12 : index)
  ^bb8:  // pred: ^bb3
    %13 = arith.addi %0, %c1 : index
    cf.br ^bb1(%13 : index)
  ^bb9:  // pred: ^bb1
    %c0_4 = arith.constant 0 : index
    %c10_5 = arith.constant 10 : index
    %c1_6 = arith.constant 1 : index
    cf.br ^bb10(%c0_4 : index)
  ^bb10(%14: index):  // 2 preds: ^bb9, ^bb17
    %15 = arith.cmpi slt, %14, %c10_5 : index
    cf.cond_br %15, ^bb11, ^bb18
  ^bb11:  // pred: ^bb10
    %c0_7 = arith.constant 0 : index
    %c7 = arith.constant 7 : index
    %c1_8 = arith.constant 1 : index
    cf.br ^bb12(%c0_7 : index)
  ^bb12(%16: index):  // 2 preds: ^bb11, ^bb16
    %17 = arith.cmpi slt, %16, %c7 : index
    cf.cond_br %17, ^bb13, ^bb17
  ^bb13:  // pred: ^bb12
    %c0_9 = arith.constant 0 : index
    %c8_10 = arith.constant 8 : index
    %c1_11 = arith.constant 1 : index
    cf.br ^bb14(%c0_9 : index)
  ^bb14(%18: index):  // 2 preds: ^bb13, ^bb15
    %19 = arith.cmpi slt, %18, %c8_10 : index
    cf.cond_br %19, ^bb15, ^bb16
  ^bb15:  // pred: ^bb14
    %20 = memref.load %arg2[%14, %18] : memref<10x8xf32>
    %21 = memref.load %arg3[%16, %18] : memref<7x8xf32>
    %22 = memref.load %arg4[%14, %16] : memref<10x7xf32>
    %23 = arith.mulf %20, %21 : f32
    %24 = arith.addf %22, %23 : f32
    memref.store %24, %arg4[%14, %16] : memref<10x7xf32>
    %25 = arith.addi %18, %c1_11 : index
    cf.br ^bb14(%25 : index)
  ^bb16:  // pred: ^bb14
    %26 = arith.addi %16, %c1_8 : index
    cf.br ^bb12(%26 : index)
  ^bb17:  // pred: ^bb12
    %27 = arith.addi %14, %c1_6 : index
    cf.br ^bb10(%27 : index)
  ^bb18:  // pred: ^bb10
    return
  }
}

