module {
  func @f(%arg0: memref<6x5xi8>, %arg1: memref<5x9xi8>, %arg2: memref<6x9xi32>) {
    affine.for %arg3 = 0 to 6 {
      affine.for %arg4 = 0 to 9 {
        affine.for %arg5 = 0 to 5 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<6x5xi8>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<5x9xi8>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<6x9xi32>
          %3 = arith.extui %0 : i8 to i32
          %4 = arith.extsi %1 : i8 to i32
          %5 = arith.muli %3, %4 : i32
          %6 = arith.addi %2, %5 : i32
          affine.store %6, %arg2[%arg3, %arg4] : memref<6x9xi32>
        }
      }
    }
    return
  }
}

