module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %c12 = arith.constant 12 : index
    %c1 = arith.constant 1 : index
    %c14 = arith.constant 14 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    scf.for %arg4 = %c0 to %c10 step %c5 {
      scf.for %arg5 = %c0 to %c14 step %c5 {
        %0 = arith.addi %arg4, %c5 : index
        scf.for %arg6 = %arg4 to %0 step %c1 {
          %1 = arith.addi %arg5, %c5 : index
          %2 = arith.minsi %1, %c14 : index
          scf.for %arg7 = %arg5 to %2 step %c1 {
            memref.store %cst, %arg3[%arg6, %arg7] : memref<10x14xf32>
          }
        }
      }
    }
    scf.for %arg4 = %c0 to %c10 step %c5 {
      scf.for %arg5 = %c0 to %c14 step %c5 {
        scf.for %arg6 = %c0 to %c12 step %c5 {
          %0 = arith.addi %arg4, %c5 : index
          scf.for %arg7 = %arg4 to %0 step %c1 {
            %1 = arith.addi %arg5, %c5 : index
            %2 = arith.minsi %1, %c14 : index
            scf.for %arg8 = %arg5 to %2 step %c1 {
              %3 = arith.addi %arg6, %c5 : index
              %4 = arith.minsi %3, %c12 : index
              scf.for %arg9 = %arg6 to %4 step %c1 {
                %5 = memref.load %arg0[%arg7, %arg9] : memref<10x12xf32>
                %6 = memref.load %arg1[%arg9, %arg8] : memref<12x14xf32>
                %7 = memref.load %arg3[%arg7, %arg8] : memref<10x14xf32>
                %8 = arith.mulf %5, %6 : f32
                %9 = arith.addf %7, %8 : f32
                memref.store %9, %arg3[%arg7, %arg8] : memref<10x14xf32>
              }
            }
          }
        }
      }
    }
    scf.for %arg4 = %c0 to %c10 step %c5 {
      scf.for %arg5 = %c0 to %c14 step %c5 {
        %0 = arith.addi %arg4, %c5 : index
        scf.for %arg6 = %arg4 to %0 step %c1 {
          %1 = arith.addi %arg5, %c5 : index
          %2 = arith.minsi %1, %c14 : index
          scf.for %arg7 = %arg5 to %2 step %c1 {
            %3 = memref.load %arg2[%arg7] : memref<14xf32>
            %4 = memref.load %arg3[%arg6, %arg7] : memref<10x14xf32>
            %5 = arith.addf %4, %3 : f32
            %6 = arith.maximumf %5, %cst : f32
            memref.store %6, %arg3[%arg6, %arg7] : memref<10x14xf32>
          }
        }
      }
    }
    return
  }
}

