module {
  func.func @f(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %c16 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %c0_0 = arith.constant 0 : index
    %c24 = arith.constant 24 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb3(%c0_0 : index)
  ^bb3(%2: index):  // 2 preds: ^bb2, ^bb7
    %3 = arith.cmpi slt, %2, %c24 : index
    cf.cond_br %3, ^bb4, ^bb8
  ^bb4:  // pred: ^bb3
    %c0_2 = arith.constant 0 : index
    %c32 = arith.constant 32 : index
    %c1_3 = arith.constant 1 : index
    cf.br ^bb5(%c0_2 : index)
  ^bb5(%4: index):  // 2 preds: ^bb4, ^bb6
    %5 = arith.cmpi slt, %4, %c32 : index
    cf.cond_br %5, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %6 = memref.load %arg0[%0, %4] : memref<16x32xf16>
    %7 = memref.load %arg1[%4, %2] : memref<32x24xf16>
    %8 = memref.load %arg2[%0, %2] : memref<16x24xf32>
    %9 = arith.extf %6 : f16 to f32
    %10 = arith.extf %7 : f16 to f32
    %11 = arith.mulf %9, %10 : f32
    %12 = arith.addf %8, %11 : f32
    memref.store %12, %arg2[%0, %2] : memref<16x24xf32>
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

