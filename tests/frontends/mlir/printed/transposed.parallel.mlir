module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    %c7 = arith.constant 7 : index
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c6 = arith.constant 6 : index
    scf.parallel (%arg5, %arg6) = (%c0, %c0) to (%c10, %c8) step (%c1, %c1) {
      scf.for %arg7 = %c0 to %c6 step %c1 {
        %0 = memref.load %arg0[%arg7, %arg5] : memref<6x10xf32>
        %1 = memref.load %arg1[%arg7, %arg6] : memref<6x8xf32>
        %2 = memref.load %arg2[%arg5, %arg6] : memref<10x8xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg2[%arg5, %arg6] : memref<10x8xf32>
      }
      scf.reduce 
    }
    scf.parallel (%arg5, %arg6) = (%c0, %c0) to (%c10, %c7) step (%c1, %c1) {
      scf.for %arg7 = %c0 to %c8 step %c1 {
        %0 = memref.load %arg2[%arg5, %arg7] : memref<10x8xf32>
        %1 = memref.load %arg3[%arg6, %arg7] : memref<7x8xf32>
        %2 = memref.load %arg4[%arg5, %arg6] : memref<10x7xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg4[%arg5, %arg6] : memref<10x7xf32>
      }
      scf.reduce 
    }
    return
  }
}

