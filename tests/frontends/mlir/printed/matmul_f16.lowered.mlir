module {
  func.func @f(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c24 = arith.constant 24 : index
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c16 step %c5 {
      scf.for %arg4 = %c0 to %c24 step %c5 {
        scf.for %arg5 = %c0 to %c32 step %c5 {
          %0 = arith.addi %arg3, %c5 : index
          %1 = arith.minsi %0, %c16 : index
          scf.for %arg6 = %arg3 to %1 step %c1 {
            %2 = arith.addi %arg4, %c5 : index
            %3 = arith.minsi %2, %c24 : index
            scf.for %arg7 = %arg4 to %3 step %c1 {
              %4 = arith.addi %arg5, %c5 : index
              %5 = arith.minsi %4, %c32 : index
              scf.for %arg8 = %arg5 to %5 step %c1 {
                %6 = memref.load %arg0[%arg6, %arg8] : memref<16x32xf16>
                %7 = memref.load %arg1[%arg8, %arg7] : memref<32x24xf16>
                %8 = memref.load %arg2[%arg6, %arg7] : memref<16x24xf32>
                %9 = arith.extf %6 : f16 to f32
                %10 = arith.extf %7 : f16 to f32
                %11 = arith.mulf %9, %10 : f32
                %12 = arith.addf %8, %11 : f32
                memref.store %12, %arg2[%arg6, %arg7] : memref<16x24xf32>
              }
            }
          }
        }
      }
    }
    return
  }
}

