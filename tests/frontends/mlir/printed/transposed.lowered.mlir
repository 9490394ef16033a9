module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    %c7 = arith.constant 7 : index
    %c1 = arith.constant 1 : index
    %c6 = arith.constant 6 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    scf.for %arg5 = %c0 to %c10 step %c5 {
      scf.for %arg6 = %c0 to %c8 step %c5 {
        scf.for %arg7 = %c0 to %c6 step %c5 {
          %0 = arith.addi %arg5, %c5 : index
          scf.for %arg8 = %arg5 to %0 step %c1 {
            %1 = arith.addi %arg6, %c5 : index
            %2 = arith.minsi %1, %c8 : index
            scf.for %arg9 = %arg6 to %2 step %c1 {
              %3 = arith.addi %arg7, %c5 : index
              %4 = arith.minsi %3, %c6 : index
              scf.for %arg10 = %arg7 to %4 step %c1 {
                %5 = memref.load %arg0[%arg10, %arg8] : memref<6x10xf32>
                %6 = memref.load %arg1[%arg10, %arg9] : memref<6x8xf32>
                %7 = memref.load %arg2[%arg8, %arg9] : memref<10x8xf32>
                %8 = arith.mulf %5, %6 : f32
                %9 = arith.addf %7, %8 : f32
                memref.store %9, %arg2[%arg8, %arg9] : memref<10x8xf32>
              }
            }
          }
        }
      }
    }
    scf.for %arg5 = %c0 to %c10 step %c5 {
      scf.for %arg6 = %c0 to %c7 step %c5 {
        scf.for %arg7 = %c0 to %c8 step %c5 {
          %0 = arith.addi %arg5, %c5 : index
          scf.for %arg8 = %arg5 to %0 step %c1 {
            %1 = arith.addi %arg6, %c5 : index
            %2 = arith.minsi %1, %c7 : index
            scf.for %arg9 = %arg6 to %2 step %c1 {
              %3 = arith.addi %arg7, %c5 : index
              %4 = arith.minsi %3, %c8 : index
              scf.for %arg10 = %arg7 to %4 step %c1 {
                %5 = memref.load %arg2[%arg8, %arg10] : memref<10x8xf32>
                %6 = memref.load %arg3[%arg9, %arg10] : memref<7x8xf32>
                %7 = memref.load %arg4[%arg8, %arg9] : memref<10x7xf32>
                %8 = arith.mulf %5, %6 : f32
                %9 = arith.addf %7, %8 : f32
                memref.store %9, %arg4[%arg8, %arg9] : memref<10x7xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

