module {
  func.func @f(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>) {
    %c11 = arith.constant 11 : index
    %c10 = arith.constant 10 : index
    %c9 = arith.constant 9 : index
    %c8 = arith.constant 8 : index
    %c7 = arith.constant 7 : index
    %c6 = arith.constant 6 : index
    %c4 = arith.constant 4 : index
    %c3 = arith.constant 3 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant 5.000000e-01 : f32
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c5 = arith.constant 5 : index
    scf.for %arg4 = %c0 to %c16 step %c5 {
      %0 = arith.addi %arg4, %c5 : index
      %1 = arith.minsi %0, %c16 : index
      scf.for %arg5 = %arg4 to %1 step %c1 {
        %2 = memref.load %arg0[%arg5] : memref<16xi32>
        %3 = memref.load %arg1[%arg5] : memref<16xf32>
        %4 = arith.divsi %2, %c7_i32 : i32
        memref.store %4, %arg2[%c0, %arg5] : memref<12x16xi32>
        %5 = arith.floordivsi %2, %c7_i32 : i32
        memref.store %5, %arg2[%c1, %arg5] : memref<12x16xi32>
        %6 = arith.remui %2, %c7_i32 : i32
        memref.store %6, %arg2[%c2, %arg5] : memref<12x16xi32>
        %7 = arith.shrui %2, %c31_i32 : i32
        memref.store %7, %arg2[%c3, %arg5] : memref<12x16xi32>
        %8 = arith.maxui %2, %c7_i32 : i32
        memref.store %8, %arg2[%c4, %arg5] : memref<12x16xi32>
        %9 = arith.trunci %2 : i32 to i8
        %10 = arith.extui %9 : i8 to i32
        memref.store %10, %arg2[%c5, %arg5] : memref<12x16xi32>
        %11 = arith.extsi %9 : i8 to i32
        memref.store %11, %arg2[%c6, %arg5] : memref<12x16xi32>
        %12 = arith.cmpi ult, %2, %c7_i32 : i32
        %13 = arith.extui %12 : i1 to i32
        memref.store %13, %arg2[%c7, %arg5] : memref<12x16xi32>
        %14 = arith.cmpf ult, %3, %cst : f32
        %15 = arith.cmpf uno, %3, %3 : f32
        %16 = arith.xori %14, %15 : i1
        %17 = arith.extsi %16 : i1 to i32
        memref.store %17, %arg2[%c8, %arg5] : memref<12x16xi32>
        %18 = arith.fptosi %3 : f32 to i32
        memref.store %18, %arg2[%c9, %arg5] : memref<12x16xi32>
        %19 = arith.bitcast %3 : f32 to i32
        memref.store %19, %arg2[%c10, %arg5] : memref<12x16xi32>
        %20 = arith.index_cast %arg5 : index to i32
        %21 = arith.shli %c1_i32, %20 overflow<nuw> : i32
        memref.store %21, %arg2[%c11, %arg5] : memref<12x16xi32>
        %22 = arith.sitofp %2 : i32 to f32
        memref.store %22, %arg3[%c0, %arg5] : memref<8x16xf32>
        %23 = arith.uitofp %2 : i32 to f32
        memref.store %23, %arg3[%c1, %arg5] : memref<8x16xf32>
        %24 = arith.extf %3 : f32 to f64
        %25 = math.exp %24 : f64
        %26 = arith.truncf %25 : f64 to f32
        memref.store %26, %arg3[%c2, %arg5] : memref<8x16xf32>
        %27 = math.absf %3 : f32
        %28 = math.sqrt %27 : f32
        memref.store %28, %arg3[%c3, %arg5] : memref<8x16xf32>
        %29 = arith.truncf %3 : f32 to bf16
        %30 = arith.extf %29 : bf16 to f32
        memref.store %30, %arg3[%c4, %arg5] : memref<8x16xf32>
        %31 = arith.minnumf %3, %cst : f32
        memref.store %31, %arg3[%c5, %arg5] : memref<8x16xf32>
        %32 = arith.negf %3 : f32
        %33 = arith.select %12, %32, %3 : f32
        memref.store %33, %arg3[%c6, %arg5] : memref<8x16xf32>
        %34 = math.floor %3 : f32
        memref.store %34, %arg3[%c7, %arg5] : memref<8x16xf32>
      }
    }
    return
  }
}

