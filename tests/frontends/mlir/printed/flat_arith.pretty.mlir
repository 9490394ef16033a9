module {
  func.func @f(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: memref<?xi32>, %arg3: index, %arg4: index, %arg5: index, %arg6: index, %arg7: index, %arg8: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    scf.for %arg9 = %c0 to %arg3 step %c1 {
      %0 = arith.muli %arg9, %arg6 : index
      %1 = arith.muli %arg9, %arg8 : index
      scf.for %arg10 = %c0 to %arg4 step %c1 {
        %2 = arith.addi %1, %arg10 : index
        %3 = memref.load %arg2[%2] : memref<?xi32>
        %4 = scf.for %arg11 = %c0 to %arg5 step %c1 iter_args(%arg12 = %3) -> (i32) {
          %5 = arith.addi %0, %arg11 : index
          %6 = arith.muli %arg11, %arg7 : index
          %7 = arith.addi %6, %arg10 : index
          %8 = memref.load %arg0[%5] : memref<?xi32>
          %9 = memref.load %arg1[%7] : memref<?xi32>
          %10 = arith.muli %8, %9 : i32
          %11 = arith.addi %arg12, %10 : i32
          scf.yield %11 : i32
        }
        memref.store %4, %arg2[%2] : memref<?xi32>
      }
    }
    return
  }
}

