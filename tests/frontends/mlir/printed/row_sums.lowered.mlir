module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c1 = arith.constant 1 : index
    %c11 = arith.constant 11 : index
    %c100 = arith.constant 100 : index
    %c0 = arith.constant 0 : index
    %c9 = arith.constant 9 : index
    %c5 = arith.constant 5 : index
    scf.for %arg4 = %c0 to %c9 step %c5 {
      scf.for %arg5 = %c0 to %c11 step %c5 {
        %0 = arith.addi %arg4, %c5 : index
        %1 = arith.minsi %0, %c9 : index
        scf.for %arg6 = %arg4 to %1 step %c1 {
          %2 = arith.addi %arg5, %c5 : index
          %3 = arith.minsi %2, %c11 : index
          scf.for %arg7 = %arg5 to %3 step %c1 {
            %4 = memref.load %arg0[%arg6, %arg7] : memref<9x11xf32>
            %5 = memref.load %arg1[%arg6] : memref<9xf32>
            %6 = memref.load %arg2[%arg6] : memref<9xf32>
            %7 = arith.addf %5, %4 : f32
            %8 = arith.maximumf %6, %4 : f32
            memref.store %7, %arg1[%arg6] : memref<9xf32>
            memref.store %8, %arg2[%arg6] : memref<9xf32>
          }
        }
      }
    }
    scf.for %arg4 = %c0 to %c9 step %c5 {
      scf.for %arg5 = %c0 to %c11 step %c5 {
        %0 = arith.addi %arg4, %c5 : index
        %1 = arith.minsi %0, %c9 : index
        scf.for %arg6 = %arg4 to %1 step %c1 {
          %2 = arith.addi %arg5, %c5 : index
          %3 = arith.minsi %2, %c11 : index
          scf.for %arg7 = %arg5 to %3 step %c1 {
            %4 = arith.muli %arg6, %c100 : index
            %5 = arith.addi %4, %arg7 : index
            %6 = arith.index_cast %5 : index to i64
            memref.store %6, %arg3[%arg6, %arg7] : memref<9x11xi64>
          }
        }
      }
    }
    return
  }
}

