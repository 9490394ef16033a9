module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %c12 = arith.constant 12 : index
    %cst = arith.constant 0.000000e+00 : f32
    %c0 = arith.constant 0 : index
    %c10 = arith.constant 10 : index
    %c1 = arith.constant 1 : index
    %c14 = arith.constant 14 : index
    scf.parallel (%arg4, %arg5) = (%c0, %c0) to (%c10, %c14) step (%c1, %c1) {
      memref.store %cst, %arg3[%arg4, %arg5] : memref<10x14xf32>
      scf.reduce 
    }
    scf.parallel (%arg4, %arg5) = (%c0, %c0) to (%c10, %c14) step (%c1, %c1) {
      scf.for %arg6 = %c0 to %c12 step %c1 {
        %0 = memref.load %arg0[%arg4, %arg6] : memref<10x12xf32>
        %1 = memref.load %arg1[%arg6, %arg5] : memref<12x14xf32>
        %2 = memref.load %arg3[%arg4, %arg5] : memref<10x14xf32>
        %3 = arith.mulf %0, %1 : f32
        %4 = arith.addf %2, %3 : f32
        memref.store %4, %arg3[%arg4, %arg5] : memref<10x14xf32>
      }
      scf.reduce 
    }
    scf.parallel (%arg4, %arg5) = (%c0, %c0) to (%c10, %c14) step (%c1, %c1) {
      %0 = memref.load %arg2[%arg5] : memref<14xf32>
      %1 = memref.load %arg3[%arg4, %arg5] : memref<10x14xf32>
      %2 = arith.addf %1, %0 : f32
      %3 = arith.maximumf %2, %cst : f32
      memref.store %3, %arg3[%arg4, %arg5] : memref<10x14xf32>
      scf.reduce 
    }
    return
  }
}

