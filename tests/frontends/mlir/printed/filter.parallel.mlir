#map = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c1 = arith.constant 1 : index
    %c5 = arith.constant 5 : index
    scf.parallel (%arg3) = (%c0) to (%c16) step (%c1) {
      scf.for %arg4 = %c0 to %c5 step %c1 {
        %0 = affine.apply #map(%arg3, %arg4)
        %1 = memref.load %arg0[%0] : memref<20xf64>
        %2 = memref.load %arg1[%arg4] : memref<5xf64>
        %3 = memref.load %arg2[%arg3] : memref<16xf64>
        %4 = arith.mulf %1, %2 : f64
        %5 = arith.addf %3, %4 : f64
        memref.store %5, %arg2[%arg3] : memref<16xf64>
      }
      scf.reduce 
    }
    return
  }
}

