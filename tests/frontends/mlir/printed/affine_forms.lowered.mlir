module {
  func.func @f(%arg0: memref<?x?xi64>, %arg1: memref<?x?xi64>, %arg2: memref<?xi64>) {
    %c-10 = arith.constant -10 : index
    %c9 = arith.constant 9 : index
    %c-9 = arith.constant -9 : index
    %c-5 = arith.constant -5 : index
    %c3 = arith.constant 3 : index
    %c-1 = arith.constant -1 : index
    %c2 = arith.constant 2 : index
    %c4 = arith.constant 4 : index
    %c-3 = arith.constant -3 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    %c7_i64 = arith.constant 7 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xi64>
    scf.for %arg3 = %c0 to %dim step %c5 {
      %0 = arith.addi %arg3, %c5 : index
      %1 = arith.minsi %0, %dim : index
      scf.for %arg4 = %arg3 to %1 step %c1 {
        %2 = arith.addi %arg4, %c-3 : index
        %3 = arith.maxsi %2, %c0 : index
        %4 = arith.addi %arg4, %c4 : index
        %5 = arith.minsi %4, %dim : index
        %6 = scf.for %arg5 = %3 to %5 step %c2 iter_args(%arg6 = %c0_i64) -> (i64) {
          %12 = memref.load %arg0[%arg4, %arg5] : memref<?x?xi64>
          %13 = arith.subi %arg4, %arg5 : index
          %14 = arith.cmpi sge, %13, %c0 : index
          %15 = arith.subi %dim, %arg4 : index
          %16 = arith.subi %15, %arg5 : index
          %17 = arith.addi %16, %c-1 : index
          %18 = arith.cmpi sge, %17, %c0 : index
          %19 = arith.andi %14, %18 : i1
          %20 = scf.if %19 -> (i64) {
            %21 = arith.addi %arg6, %12 : i64
            scf.yield %21 : i64
          } else {
            %21 = arith.subi %arg6, %12 : i64
            scf.yield %21 : i64
          }
          scf.yield %20 : i64
        }
        memref.store %6, %arg2[%arg4] : memref<?xi64>
        %7 = arith.remsi %arg4, %c2 : index
        %8 = arith.cmpi slt, %7, %c0 : index
        %9 = arith.addi %7, %c2 : index
        %10 = arith.select %8, %9, %7 : index
        %11 = arith.cmpi eq, %10, %c0 : index
        scf.if %11 {
          memref.store %c7_i64, %arg2[%arg4] : memref<?xi64>
        }
      }
    }
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%dim, %dim) step (%c1, %c1) {
      %0 = arith.muli %arg3, %c2 : index
      %1 = arith.muli %arg4, %c3 : index
      %2 = arith.addi %0, %1 : index
      %3 = arith.addi %2, %c-5 : index
      %4 = arith.remsi %3, %dim : index
      %5 = arith.cmpi slt, %4, %c0 : index
      %6 = arith.addi %4, %dim : index
      %7 = arith.select %5, %6, %4 : index
      %8 = arith.cmpi slt, %7, %c0 : index
      %9 = arith.subi %c-1, %7 : index
      %10 = arith.select %8, %9, %7 : index
      %11 = arith.divsi %10, %c2 : index
      %12 = arith.subi %c-1, %11 : index
      %13 = arith.select %8, %12, %11 : index
      %14 = arith.addi %dim, %c-1 : index
      %15 = arith.minsi %13, %14 : index
      %16 = arith.addi %15, %c-9 : index
      %17 = arith.cmpi sle, %16, %c0 : index
      %18 = arith.subi %c9, %15 : index
      %19 = arith.addi %15, %c-10 : index
      %20 = arith.select %17, %18, %19 : index
      %21 = arith.divsi %20, %c4 : index
      %22 = arith.subi %c0, %21 : index
      %23 = arith.addi %21, %c1 : index
      %24 = arith.select %17, %22, %23 : index
      %25 = arith.maxsi %24, %c0 : index
      %26 = arith.addi %dim, %c-1 : index
      %27 = memref.load %arg0[%7, %26] : memref<?x?xi64>
      %28 = memref.load %arg0[%15, %25] : memref<?x?xi64>
      %29 = arith.addi %27, %28 : i64
      memref.store %29, %arg1[%arg3, %arg4] : memref<?x?xi64>
      scf.reduce 
    }
    return
  }
}

