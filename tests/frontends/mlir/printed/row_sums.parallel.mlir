module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c1 = arith.constant 1 : index
    %c11 = arith.constant 11 : index
    scf.parallel (%arg4) = (%c0) to (%c9) step (%c1) {
      scf.for %arg5 = %c0 to %c11 step %c1 {
        %0 = memref.load %arg0[%arg4, %arg5] : memref<9x11xf32>
        %1 = memref.load %arg1[%arg4] : memref<9xf32>
        %2 = memref.load %arg2[%arg4] : memref<9xf32>
        %3 = arith.addf %1, %0 : f32
        %4 = arith.maximumf %2, %0 : f32
        memref.store %3, %arg1[%arg4] : memref<9xf32>
        memref.store %4, %arg2[%arg4] : memref<9xf32>
      }
      scf.reduce 
    }
    scf.parallel (%arg4, %arg5) = (%c0, %c0) to (%c9, %c11) step (%c1, %c1) {
      %0 = arith.muli %arg4, %c100 : index
      %1 = arith.addi %0, %arg5 : index
      %2 = arith.index_cast %1 : index to i64
      memref.store %2, %arg3[%arg4, %arg5] : memref<9x11xi64>
      scf.reduce 
    }
    return
  }
}

