module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    %c1 = arith.constant 1 : index
    %c14 = arith.constant 14 : index
    %c11 = arith.constant 11 : index
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c9 step %c5 {
      scf.for %arg4 = %c0 to %c11 step %c5 {
        scf.for %arg5 = %c0 to %c14 step %c5 {
          %0 = arith.addi %arg3, %c5 : index
          %1 = arith.minsi %0, %c9 : index
          scf.for %arg6 = %arg3 to %1 step %c1 {
            %2 = arith.addi %arg4, %c5 : index
            %3 = arith.minsi %2, %c11 : index
            scf.for %arg7 = %arg4 to %3 step %c1 {
              %4 = arith.addi %arg5, %c5 : index
              %5 = arith.minsi %4, %c14 : index
              scf.for %arg8 = %arg5 to %5 step %c1 {
                %6 = memref.load %arg0[%arg6, %arg8] : memref<9x14xi8>
                %7 = memref.load %arg1[%arg8, %arg7] : memref<14x11xi8>
                %8 = memref.load %arg2[%arg6, %arg7] : memref<9x11xi32>
                %9 = arith.extsi %6 : i8 to i32
                %10 = arith.extsi %7 : i8 to i32
                %11 = arith.muli %9, %10 : i32
                %12 = arith.addi %8, %11 : i32
                memref.store %12, %arg2[%arg6, %arg7] : memref<9x11xi32>
              }
            }
          }
        }
      }
    }
    return
  }
}

