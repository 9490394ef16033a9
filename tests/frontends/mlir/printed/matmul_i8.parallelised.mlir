module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    affine.parallel (%arg3) = (0) to (9) {
      affine.parallel (%arg4) = (0) to (11) {
        affine.for %arg5 = 0 to 14 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<9x14xi8>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<14x11xi8>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<9x11xi32>
          %3 = arith.extsi %0 : i8 to i32
          %4 = arith.extsi %1 : i8 to i32
          %5 = arith.muli %3, %4 : i32
          %6 = arith.addi %2, %5 : i32
          affine.store %6, %arg2[%arg3, %arg4] : memref<9x11xi32>
        }
      }
    }
    return
  }
}

