module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c16 step %c5 {
      %0 = arith.addi %arg3, %c5 : index
      %1 = arith.minsi %0, %c16 : index
      scf.for %arg4 = %arg3 to %1 step %c1 {
        scf.for %arg5 = %c0 to %c5 step %c1 {
          %2 = arith.addi %arg4, %arg5 : index
          %3 = memref.load %arg0[%2] : memref<20xf64>
          %4 = memref.load %arg1[%arg5] : memref<5xf64>
          %5 = memref.load %arg2[%arg4] : memref<16xf64>
          %6 = arith.mulf %3, %4 : f64
          %7 = arith.addf %5, %6 : f64
          memref.store %7, %arg2[%arg4] : memref<16xf64>
        }
      }
    }
    return
  }
}

