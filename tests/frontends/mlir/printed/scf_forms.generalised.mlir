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
    %0:2 = scf.for %arg4 = %c0 to %arg1 step %c2 iter_args(%arg5 = %cst, %arg6 = %c0) -> (f64, index) {
      %5 = memref.load %arg0[%arg4] : memref<?xf64>
      %6 = arith.cmpf ogt, %5, %cst : f64
      %7 = scf.if %6 -> (f64) {
        %9 = arith.addf %arg5, %5 : f64
        scf.yield %9 : f64
      } else {
        scf.yield %arg5 : f64
      }
      %8 = arith.addi %arg6, %c1 : index
      scf.yield %7, %8 : f64, index
    }
    memref.store %0#0, %arg2[%c0] : memref<4xf64>
    %1 = arith.index_cast %0#1 : index to i64
    memref.store %1, %arg3[%c0] : memref<2xi64>
    %2:2 = scf.while (%arg4 = %c27_i64, %arg5 = %c0_i64) : (i64, i64) -> (i64, i64) {
      %5 = arith.cmpi ne, %arg4, %c1_i64 : i64
      scf.condition(%5) %arg4, %arg5 : i64, i64
    } do {
    ^bb0(%arg4: i64, %arg5: i64):
      %5 = arith.remui %arg4, %c2_i64 : i64
      %6 = arith.cmpi eq, %5, %c1_i64 : i64
      %7 = scf.if %6 -> (i64) {
        %9 = arith.muli %arg4, %c3_i64 : i64
        %10 = arith.addi %9, %c1_i64 : i64
        scf.yield %10 : i64
      } else {
        %9 = arith.divui %arg4, %c2_i64 : i64
        scf.yield %9 : i64
      }
      %8 = arith.addi %arg5, %c1_i64 : i64
      scf.yield %7, %8 : i64, i64
    }
    memref.store %2#1, %arg3[%c1] : memref<2xi64>
    %3 = scf.parallel (%arg4) = (%c0) to (%arg1) step (%c1) init (%cst) -> f64 {
      %5 = memref.load %arg0[%arg4] : memref<?xf64>
      scf.reduce(%5 : f64) {
      ^bb0(%arg5: f64, %arg6: f64):
        %6 = arith.addf %arg5, %arg6 : f64
        scf.reduce.return %6 : f64
      }
    }
    memref.store %3, %arg2[%c1] : memref<4xf64>
    scf.parallel (%arg4) = (%c2) to (%c3) step (%c1) {
      %5 = memref.load %arg0[%arg4] : memref<?xf64>
      memref.store %5, %arg2[%arg4] : memref<4xf64>
      scf.reduce 
    }
    %4 = arith.cmpi sgt, %arg1, %c3 : index
    scf.if %4 {
      memref.store %cst, %arg2[%c3] : memref<4xf64>
    }
    return
  }
}

