module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    %c1 = arith.constant 1 : index
    %c13 = arith.constant 13 : index
    %c0 = arith.constant 0 : index
    %c8 = arith.constant 8 : index
    %c5 = arith.constant 5 : index
    scf.for %arg5 = %c0 to %c8 step %c5 {
      scf.for %arg6 = %c0 to %c13 step %c5 {
        %0 = arith.addi %arg5, %c5 : index
        %1 = arith.minsi %0, %c8 : index
        scf.for %arg7 = %arg5 to %1 step %c1 {
          %2 = arith.addi %arg6, %c5 : index
          %3 = arith.minsi %2, %c13 : index
          scf.for %arg8 = %arg6 to %3 step %c1 {
            %4 = memref.load %arg0[%arg7, %arg8] : memref<8x13xf64>
            %5 = memref.load %arg1[%arg8] : memref<13xf64>
            %6 = memref.load %arg2[%arg7] : memref<8xf64>
            %7 = arith.mulf %4, %5 : f64
            %8 = arith.addf %6, %7 : f64
            memref.store %8, %arg2[%arg7] : memref<8xf64>
          }
        }
      }
    }
    scf.for %arg5 = %c0 to %c13 step %c5 {
      scf.for %arg6 = %c0 to %c8 step %c5 {
        %0 = arith.addi %arg5, %c5 : index
        %1 = arith.minsi %0, %c13 : index
        scf.for %arg7 = %arg5 to %1 step %c1 {
          %2 = arith.addi %arg6, %c5 : index
          %3 = arith.minsi %2, %c8 : index
          scf.for %arg8 = %arg6 to %3 step %c1 {
            %4 = memref.load %arg2[%arg8] : memref<8xf64>
            %5 = memref.load %arg0[%arg8, %arg7] : memref<8x13xf64>
            %6 = memref.load %arg3[%arg7] : memref<13xf64>
            %7 = arith.mulf %4, %5 : f64
            %8 = arith.addf %6, %7 : f64
            memref.store %8, %arg3[%arg7] : memref<13xf64>
          }
        }
      }
    }
    scf.for %arg5 = %c0 to %c13 step %c5 {
      %0 = arith.addi %arg5, %c5 : index
      %1 = arith.minsi %0, %c13 : index
      scf.for %arg6 = %arg5 to %1 step %c1 {
        %2 = memref.load %arg1[%arg6] : memref<13xf64>
        %3 = memref.load %arg3[%arg6] : memref<13xf64>
        %4 = memref.load %arg4[] : memref<f64>
        %5 = arith.mulf %2, %3 : f64
        %6 = arith.addf %4, %5 : f64
        memref.store %6, %arg4[] : memref<f64>
      }
    }
    return
  }
}

