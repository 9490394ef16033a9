module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    %c1 = arith.constant 1 : index
    %c10 = arith.constant 10 : index
    %c8 = arith.constant 8 : index
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c6 step %c5 {
      scf.for %arg4 = %c0 to %c8 step %c5 {
        scf.for %arg5 = %c0 to %c10 step %c5 {
          %0 = arith.addi %arg3, %c5 : index
          %1 = arith.minsi %0, %c6 : index
          scf.for %arg6 = %arg3 to %1 step %c1 {
            %2 = arith.addi %arg4, %c5 : index
            %3 = arith.minsi %2, %c8 : index
            scf.for %arg7 = %arg4 to %3 step %c1 {
              %4 = arith.addi %arg5, %c5 : index
              scf.for %arg8 = %arg5 to %4 step %c1 {
                %5 = memref.load %arg0[%arg8, %arg6] : memref<10x6xbf16>
                %6 = memref.load %arg1[%arg8, %arg7] : memref<10x8xbf16>
                %7 = memref.load %arg2[%arg6, %arg7] : memref<6x8xf32>
                %8 = arith.extf %5 : bf16 to f32
                %9 = arith.extf %6 : bf16 to f32
                %10 = arith.mulf %8, %9 : f32
                %11 = arith.addf %7, %10 : f32
                memref.store %11, %arg2[%arg6, %arg7] : memref<6x8xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

