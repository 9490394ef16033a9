module {
  func.func @f(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>) {
    %c5 = arith.constant 5 : index
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?x?xf32>
    %dim_1 = memref.dim %arg0, %c2 : memref<?x?x?xf32>
    %dim_2 = memref.dim %arg1, %c2 : memref<?x?x?xf32>
    scf.for %arg3 = %c0 to %dim step %c5 {
      scf.for %arg4 = %c0 to %dim_0 step %c5 {
        scf.for %arg5 = %c0 to %dim_2 step %c5 {
          scf.for %arg6 = %c0 to %dim_1 step %c5 {
            %0 = arith.addi %arg3, %c5 : index
            %1 = arith.minsi %0, %dim : index
            scf.for %arg7 = %arg3 to %1 step %c1 {
              %2 = arith.addi %arg4, %c5 : index
              %3 = arith.minsi %2, %dim_0 : index
              scf.for %arg8 = %arg4 to %3 step %c1 {
                %4 = arith.addi %arg5, %c5 : index
                %5 = arith.minsi %4, %dim_2 : index
                scf.for %arg9 = %arg5 to %5 step %c1 {
                  %6 = arith.addi %arg6, %c5 : index
                  %7 = arith.minsi %6, %dim_1 : index
                  scf.for %arg10 = %arg6 to %7 step %c1 {
                    %8 = memref.load %arg0[%arg7, %arg8, %arg10] : memref<?x?x?xf32>
                    %9 = memref.load %arg1[%arg7, %arg10, %arg9] : memref<?x?x?xf32>
                    %10 = memref.load %arg2[%arg7, %arg8, %arg9] : memref<?x?x?xf32>
                    %11 = arith.mulf %8, %9 : f32
                    %12 = arith.addf %10, %11 : f32
                    memref.store %12, %arg2[%arg7, %arg8, %arg9] : memref<?x?x?xf32>
                  }
                }
              }
            }
          }
        }
      }
    }
    return
  }
}

