module {
  func.func @f(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c24 = arith.constant 24 : index
    %c32 = arith.constant 32 : index
    scf.parallel (%arg3, %arg4) = (%c0, %c0) to (%c16, %c24) step (%c1, %c1) {
      scf.for %arg5 = %c0 to %c32 step %c1 {
        %0 = memref.load %arg0[%arg3, %arg5] : memref<16x32xf16>
        %1 = memref.load %arg1[%arg5, %arg4] : memref<32x24xf16>
        %2 = memref.load %arg2[%arg3, %arg4] : memref<16x24xf32>
        %3 = arith.extf %0 : f16 to f32
        %4 = arith.extf %1 : f16 to f32
        %5 = arith.mulf %3, %4 : f32
        %6 = arith.addf %2, %5 : f32
        memref.store %6, %arg2[%arg3, %arg4] : memref<16x24xf32>
      }
      scf.reduce 
    }
    return
  }
}

