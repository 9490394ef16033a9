module {
  func.func @f(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index) {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c5 = arith.constant 5 : index
    scf.for %arg6 = %c0 to %arg3 step %c5 {
      scf.for %arg7 = %c0 to %arg4 step %c5 {
        scf.for %arg8 = %c0 to %arg5 step %c5 {
          %0 = arith.addi %arg6, %c5 : index
          %1 = arith.minsi %0, %arg3 : index
          scf.for %arg9 = %arg6 to %1 step %c1 {
            %2 = arith.addi %arg7, %c5 : index
            %3 = arith.minsi %2, %arg4 : index
            scf.for %arg10 = %arg7 to %3 step %c1 {
              %4 = arith.addi %arg8, %c5 : index
              %5 = arith.minsi %4, %arg5 : index
              scf.for %arg11 = %arg8 to %5 step %c1 {
                %6 = arith.muli %arg9, %arg5 : index
                %7 = arith.addi %6, %arg11 : index
                %8 = arith.muli %arg11, %arg4 : index
                %9 = arith.addi %8, %arg10 : index
                %10 = arith.muli %arg9, %arg4 : index
                %11 = arith.addi %10, %arg10 : index
                %12 = memref.load %arg0[%7] : memref<?xf64>
                %13 = memref.load %arg1[%9] : memref<?xf64>
                %14 = memref.load %arg2[%11] : memref<?xf64>
                %15 = arith.mulf %12, %13 : f64
                %16 = arith.addf %14, %15 : f64
                memref.store %16, %arg2[%11] : memref<?xf64>
              }
            }
          }
        }
      }
    }
    return
  }
}

