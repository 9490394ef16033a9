module {
  func.func @f(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>) {
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant 5.000000e-01 : f32
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%0: index):  // 2 preds: ^bb0, ^bb2
    %1 = arith.cmpi slt, %0, %c16 : index
    cf.cond_br %1, ^bb2, ^bb3
  ^bb2:  // pred: ^bb1
    %2 = memref.load %arg0[%0] : memref<16xi32>
    %3 = memref.load %arg1[%0] : memref<16xf32>
    %4 = arith.divsi %2, %c7_i32 : i32
    %c0_0 = arith.constant 0 : index
    memref.store %4, %arg2[%c0_0, %0] : memref<12x16xi32>
    %5 = arith.floordivsi %2, %c7_i32 : i32
    %c1_1 = arith.constant 1 : index
    memref.store %5, %arg2[%c1_1, %0] : memref<12x16xi32>
    %6 = arith.remui %2, %c7_i32 : i32
    %c2 = arith.constant 2 : index
    memref.store %6, %arg2[%c2, %0] : memref<12x16xi32>
    %7 = arith.shrui %2, %c31_i32 : i32
    %c3 = arith.constant 3 : index
    memref.store %7, %arg2[%c3, %0] : memref<12x16xi32>
    %8 = arith.maxui %2, %c7_i32 : i32
    %c4 = arith.constant 4 : index
    memref.store %8, %arg2[%c4, %0] : memref<12x16xi32>
    %9 = arith.trunci %2 : i32 to i8
    %10 = arith.extui %9 : i8 to i32
    %c5 = arith.constant 5 : index
    memref.store %10, %arg2[%c5, %0] : memref<12x16xi32>
    %11 = arith.extsi %9 : i8 to i32
    %c6 = arith.constant 6 : index
    memref.store %11, %arg2[%c6, %0] : memref<12x16xi32>
    %12 = arith.cmpi ult, %2, %c7_i32 : i32
    %13 = arith.extui %12 : i1 to i32
    %c7 = arith.constant 7 : index
    memref.store %13, %arg2[%c7, %0] : memref<12x16xi32>
    %14 = arith.cmpf ult, %3, %cst : f32
    %15 = arith.cmpf uno, %3, %3 : f32
    %16 = arith.xori %14, %15 : i1
    %17 = arith.extsi %16 : i1 to i32
    %c8 = arith.constant 8 : index
    memref.store %17, %arg2[%c8, %0] : memref<12x16xi32>
    %18 = arith.fptosi %3 : f32 to i32
    %c9 = arith.constant 9 : index
    memref.store %18, %arg2[%c9, %0] : memref<12x16xi32>
    %19 = arith.bitcast %3 : f32 to i32
    %c10 = arith.constant 10 : index
    memref.store %19, %arg2[%c10, %0] : memref<12x16xi32>
    %20 = arith.index_cast %0 : index to i32
    %21 = arith.shli %c1_i32, %20 overflow<nuw> : i32
    %c11 = arith.constant 11 : index
    memref.store %21, %arg2[%c11, %0] : memref<12x16xi32>
    %22 = arith.sitofp %2 : i32 to f32
    %c0_2 = arith.constant 0 : index
    memref.store %22, %arg3[%c0_2, %0] : memref<8x16xf32>
    %23 = arith.uitofp %2 : i32 to f32
    %c1_3 = arith.constant 1 : index
    memref.store %23, %arg3[%c1_3, %0] : memref<8x16xf32>
    %24 = arith.extf %3 : f32 to f64
    %25 = math.exp %24 : f64
    %26 = arith.truncf %25 : f64 to f32
    %c2_4 = arith.constant 2 : index
    memref.store %26, %arg3[%c2_4, %0] : memref<8x16xf32>
    %27 = math.absf %3 : f32
    %28 = math.sqrt %27 : f32
    %c3_5 = arith.constant 3 : index
    memref.store %28, %arg3[%c3_5, %0] : memref<8x16xf32>
    %29 = arith.truncf %3 : f32 to bf16
    %30 = arith.extf %29 : bf16 to f32
    %c4_6 = arith.constant 4 : index
    memref.store %30, %arg3[%c4_6, %0] : memref<8x16xf32>
    %31 = arith.minnumf %3, %cst : f32
    %c5_7 = arith.constant 5 : index
    memref.store %31, %arg3[%c5_7, %0] : memref<8x16xf32>
    %32 = arith.negf %3 : f32
    %33 = arith.select %12, %32, %3 : f32
    %c6_8 = arith.constant 6 : index
    memref.store %33, %arg3[%c6_8, %0] : memref<8x16xf32>
    %34 = math.floor %3 : f32
    %c7_9 = arith.constant 7 : index
    memref.store %34, %arg3[%c7_9, %0] : memref<8x16xf32>
    %35 = arith.addi %0, %c1 : index
    cf.br ^bb1(%35 : index)
  ^bb3:  // pred: ^bb1
    return
  }
}

