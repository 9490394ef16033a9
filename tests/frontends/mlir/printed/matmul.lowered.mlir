module {
  func.func @f(%arg0: memref<12x20xf32>, %arg1: memref<20x16xf32>, %arg2: memref<12x16xf32>) {
    %c1 = arith.constant 1 : index
    %c20 = arith.constant 20 : index
    %c16 = arith.constant 16 : index
    %c0 = arith.constant 0 : index
    %c12 = arith.constant 12 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c12 step %c5 {
      scf.for %arg4 = %c0 to %c16 step %c5 {
        scf.for %arg5 = %c0 to %c20 step %c5 {
          %0 = arith.addi %arg3, %c5 : index
          %1 = arith.minsi %0, %c12 : index
          scf.for %arg6 = %arg3 to %1 step %c1 {
            %2 = arith.addi %arg4, %c5 : index
            %3 = arith.minsi %2, %c16 : index
            scf.for %arg7 = %arg4 to %3 step %c1 {
              %4 = arith.addi %arg5, %c5 : index
              scf.for %arg8 = %arg5 to %4 step %c1 {
                %5 = memref.load %arg0[%arg6, %arg8] : memref<12x20xf32>
                %6 = memref.load %arg1[%arg8, %arg7] : memref<20x16xf32>
                %7 = memref.load %arg2[%arg6, %arg7] : memref<12x16xf32>
                %8 = arith.mulf %5, %6 : f32
                %9 = arith.addf %7, %8 : f32
                memref.store %9, %arg2[%arg6, %arg7] : memref<12x16xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

