module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %c24 = arith.constant 24 : index
    %c1 = arith.constant 1 : index
    %c14 = arith.constant 14 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c5 = arith.constant 5 : index
    scf.for %arg3 = %c0 to %c10 step %c5 {
      scf.for %arg4 = %c0 to %c14 step %c5 {
        %0 = arith.addi %arg3, %c5 : index
        scf.for %arg5 = %arg3 to %0 step %c1 {
          %1 = arith.addi %arg4, %c5 : index
          %2 = arith.minsi %1, %c14 : index
          scf.for %arg6 = %arg4 to %2 step %c1 {
            %3 = arith.muli %arg5, %c14 : index
            %4 = arith.addi %3, %arg6 : index
            memref.store %cst, %arg2[%4] : memref<140xf32>
            scf.for %arg7 = %c0 to %c24 step %c1 {
              %5 = arith.muli %arg5, %c24 : index
              %6 = arith.addi %5, %arg7 : index
              %7 = memref.load %arg0[%6] : memref<240xf32>
              %8 = arith.muli %arg7, %c14 : index
              %9 = arith.addi %8, %arg6 : index
              %10 = memref.load %arg1[%9] : memref<336xf32>
              %11 = arith.muli %arg5, %c14 : index
              %12 = arith.addi %11, %arg6 : index
              %13 = memref.load %arg2[%12] : memref<140xf32>
              %14 = arith.mulf %7, %10 : f32
              %15 = arith.addf %13, %14 : f32
              %16 = arith.muli %arg5, %c14 : index
              %17 = arith.addi %16, %arg6 : index
              memref.store %15, %arg2[%17] : memref<140xf32>
            }
          }
        }
      }
    }
    return
  }
}

