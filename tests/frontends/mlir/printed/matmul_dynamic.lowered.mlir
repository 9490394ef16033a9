module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %c5 = arith.constant 5 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    scf.for %arg3 = %c0 to %dim step %c5 {
      scf.for %arg4 = %c0 to %dim_0 step %c5 {
        %0 = arith.addi %arg3, %c5 : index
        %1 = arith.minsi %0, %dim : index
        scf.for %arg5 = %arg3 to %1 step %c1 {
          %2 = arith.addi %arg4, %c5 : index
          %3 = arith.minsi %2, %dim_0 : index
          scf.for %arg6 = %arg4 to %3 step %c1 {
            memref.store %cst, %arg2[%arg5, %arg6] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          }
        }
      }
    }
    %dim_1 = memref.dim %arg0, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_2 = memref.dim %arg0, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    scf.for %arg3 = %c0 to %dim_1 step %c5 {
      scf.for %arg4 = %c0 to %dim_3 step %c5 {
        scf.for %arg5 = %c0 to %dim_2 step %c5 {
          %0 = arith.addi %arg3, %c5 : index
          %1 = arith.minsi %0, %dim_1 : index
          scf.for %arg6 = %arg3 to %1 step %c1 {
            %2 = arith.addi %arg4, %c5 : index
            %3 = arith.minsi %2, %dim_3 : index
            scf.for %arg7 = %arg4 to %3 step %c1 {
              %4 = arith.addi %arg5, %c5 : index
              %5 = arith.minsi %4, %dim_2 : index
              scf.for %arg8 = %arg5 to %5 step %c1 {
                %6 = memref.load %arg0[%arg6, %arg8] : memref<?x?xf64, strided<[?, 1], offset: ?>>
                %7 = memref.load %arg1[%arg8, %arg7] : memref<?x?xf64, strided<[?, 1], offset: ?>>
                %8 = memref.load %arg2[%arg6, %arg7] : memref<?x?xf64, strided<[?, 1], offset: ?>>
                %9 = arith.mulf %6, %7 : f64
                %10 = arith.addf %8, %9 : f64
                memref.store %10, %arg2[%arg6, %arg7] : memref<?x?xf64, strided<[?, 1], offset: ?>>
              }
            }
          }
        }
      }
    }
    return
  }
}

