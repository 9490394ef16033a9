module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c1 = arith.constant 1 : index
    %c11 = arith.constant 11 : index
    %c14 = arith.constant 14 : index
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%c9, %c11) step (%c1, %c1) {
      scf.for %arg5 = %c0 to %c14 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<9x14xi8>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<14x11xi8>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<9x11xi32>
        %3 = arith.extsi %0 : i8 to i32
        %4 = arith.extsi %1 : i8 to i32
        %5 = arith.muli %3, %4 : i32
        %6 = arith.addi %2, %5 : i32
        memref.store %6, %arg2[%arg3, %arg4] : memref<9x11xi32>
      }
      scf.reduce 
    }
    return
  }
}

