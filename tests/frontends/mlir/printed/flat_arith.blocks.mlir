module {
  func.func @f(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: memref<?xi32>, %arg3: index, %arg4: index, %arg5: index, %arg6: index, %arg7: index, %arg8: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb8
    %1 = arith.cmpi slt, %0, %arg3 : index
    cf.cond_br %1, ^bb2, ^bb9
  ^bb2:  // pred: ^bb1
    %2 = arith.muli %0, %arg6 : index
    %3 = arith.muli %0, %arg8 : index
    cf.br ^bb3(%c0 : index)
  ^bb3(%4: index):  // 2 preds: ^bb2, ^bb7
    %5 = arith.cmpi slt, %4, %arg4 : index
    cf.cond_br %5, ^bb4, ^bb8
  ^bb4:  // pred: ^bb3
    %6 = arith.addi %3, %4 : index
    %7 = memref.load %arg2[%6] : memref<?xi32>
    cf.br ^bb5(%c0, %7 : index, i32)
  ^bb5(%8: index, %9: i32):  // 2 preds: ^bb4, ^bb6
    %10 = arith.cmpi slt, %8, %arg5 : index
    cf.cond_br %10, ^bb6, ^bb7
  ^bb6:  // pred: ^bb5
    %11 = arith.addi %2, %8 : index
    %12 = arith.muli %8, %arg7 : index
    %13 = arith.addi %12, %4 : index
    %14 = memref.load %arg0[%11] : memref<?xi32>
    %15 = memref.load %arg1[%13] : memref<?xi32>
    %16 = arith.muli %14, %15 : i32
    %17 = arith.addi %9, %16 : i32
    %18 = arith.addi %8, %c1 : index
    cf.br ^bb5(%18, %17 : index, i32)
  ^bb7:  // pred: ^bb5
    memref.store %9, %arg2[%6] : memref<?xi32>
    %19 = arith.addi %4, %c1 : index
    cf.br ^bb3(%19 : index)
  ^bb8:  // pred: ^bb3
    %20 = arith.addi %0, %c1 : index
    cf.br ^bb1(%20 : index)
  ^bb9:  // pred: ^bb1
    return
  }
}

