module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    affine.parallel (%arg4) = (0) to (9) {
      affine.for %arg5 = 0 to 11 {
        %0 = affine.load %arg0[%arg4, %arg5] : memref<9x11xf32>
        %1 = affine.load %arg1[%arg4] : memref<9xf32>
        %2 = affine.load %arg2[%arg4] : memref<9xf32>
        %3 = arith.addf %1, %0 : f32
        %4 = arith.maximumf %2, %0 : f32
        affine.store %3, %arg1[%arg4] : memref<9xf32>
        affine.store %4, %arg2[%arg4] : memref<9xf32>
      }
    }
    affine.parallel (%arg4) = (0) to (9) {
      affine.parallel (%arg5) = (0) to (11) {
        %0 = arith.muli %arg4, %c100 : index
        %1 = arith.addi %0, %arg5 : index
        %2 = arith.index_cast %1 : index to i64
        affine.store %2, %arg3[%arg4, %arg5] : memref<9x11xi64>
      }
    }
    return
  }
}

