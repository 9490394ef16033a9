module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    affine.for %arg5 = 0 to 8 {
      affine.for %arg6 = 0 to 13 {
        %0 = affine.load %arg0[%arg5, %arg6] : memref<8x13xf64>
        %1 = affine.load %arg1[%arg6] : memref<13xf64>
        %2 = affine.load %arg2[%arg5] : memref<8xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        affine.store %4, %arg2[%arg5] : memref<8xf64>
      }
    }
    affine.for %arg5 = 0 to 13 {
      affine.for %arg6 = 0 to 8 {
        %0 = affine.load %arg2[%arg6] : memref<8xf64>
        %1 = affine.load %arg0[%arg6, %arg5] : memref<8x13xf64>
        %2 = affine.load %arg3[%arg5] : memref<13xf64>
        %3 = arith.mulf %0, %1 : f64
        %4 = arith.addf %2, %3 : f64
        affine.store %4, %arg3[%arg5] : memref<13xf64>
      }
    }
    affine.for %arg5 = 0 to 13 {
      %0 = affine.load %arg1[%arg5] : memref<13xf64>
      %1 = affine.load %arg3[%arg5] : memref<13xf64>
      %2 = affine.load %arg4[] : memref<f64>
      %3 = arith.mulf %0, %1 : f64
      %4 = arith.addf %2, %3 : f64
      affine.store %4, %arg4[] : memref<f64>
    }
    return
  }
}

