module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c1 = arith.constant 1 : index
    %c13 = arith.constant 13 : index
    scf.parallel (%arg5) = (%c0) to (%c8) step (%c1) {
      scf.for %arg6 = %c0 to %c13 step %c1 {
        %0 = memref.load %arg0[%arg5, %arg6] : memref<8x13xf64>
        %1 = memref.load %arg1[%arg6] : memref<13xf64>
        %2 = memref.load %arg2[%arg5] : memref<8xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        memref.store %4, %arg2[%arg5] : memref<8xf64>
      }
      scf.reduce 
    }
    scf.parallel (%arg5) = (%c0) to (%c13) step (%c1) {
      scf.for %arg6 = %c0 to %c8 step %c1 {
        %0 = memref.load %arg2[%arg6] : memref<8xf64>
        %1 = memref.load %arg0[%arg6, %arg5] : memref<8x13xf64>
        %2 = memref.load %arg3[%arg5] : memref<13xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        memref.store %4, %arg3[%arg5] : memref<13xf64>
      }
      scf.reduce 
    }
    scf.for %arg5 = %c0 to %c13 step %c1 {
      %0 = memref.load %arg1[%arg5] : memref<13xf64>
      %1 = memref.load %arg3[%arg5] : memref<13xf64>
      %2 = memref.load %arg4[] : memref<f64>
      %3 = arith.mulf %0, %1 : f64
      %4 = arith.addf %2, %3 : f64
      memref.store %4, %arg4[] : memref<f64>
    }
    return
  }
}

