module {
  func.func @f(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>) {
    %c0 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %c10 = arith.constant 10 : index
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%c6, %c8) step (%c1, %c1) {
      scf.for %arg5 = %c0 to %c10 step %c1 {
        %0 = memref.load %arg0[%arg5, %arg3] : memref<10x6xbf16>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<10x8xbf16>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<6x8xf32>
        %3 = arith.extf %0 : bf16 to f32
        %4 = arith.extf %1 : bf16 to f32
        %5 = arith.mulf %3, %4 : f32
        %6 = arith.addf %2, %5 : f32
        memref.store %6, %arg2[%arg3, %arg4] : memref<6x8xf32>
      }
      scf.reduce 
    }
    return
  }
}

