#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    affine.for %arg3 = 0 to 9 {
      affine.for %arg4 = 0 to 11 {
        affine.for %arg5 = 0 to 12 step 3 {
          %0 = affine.load %arg0[%arg3, %arg5] : memref<9x14xi8>
          %1 = affine.load %arg1[%arg5, %arg4] : memref<14x11xi8>
          %2 = affine.load %arg2[%arg3, %arg4] : memref<9x11xi32>
          %3 = arith.extsi %0 : i8 to i32
          %4 = arith.extsi %1 : i8 to i32
          %5 = arith.muli %3, %4 : i32
          %6 = arith.addi %2, %5 : i32
          affine.store %6, %arg2[%arg3, %arg4] : memref<9x11xi32>
          %7 = affine.apply #map(%arg5)
          %8 = affine.load %arg0[%arg3, %7] : memref<9x14xi8>
          %9 = affine.load %arg1[%7, %arg4] : memref<14x11xi8>
          %10 = affine.load %arg2[%arg3, %arg4] : memref<9x11xi32>
          %11 = arith.extsi %8 : i8 to i32
          %12 = arith.extsi %9 : i8 to i32
          %13 = arith.muli %11, %12 : i32
          %14 = arith.addi %10, %13 : i32
          affine.store %14, %arg2[%arg3, %arg4] : memref<9x11xi32>
          %15 = affine.apply #map1(%arg5)
          %16 = affine.load %arg0[%arg3, %15] : memref<9x14xi8>
          %17 = affine.load %arg1[%15, %arg4] : memref<14x11xi8>
          %18 = affine.load %arg2[%arg3, %arg4] : memref<9x11xi32>
          %19 = arith.extsi %16 : i8 to i32
          %20 = arith.extsi %17 : i8 to i32
          %21 = arith.muli %19, %20 : i32
          %22 = arith.addi %18, %21 : i32
          affine.store %22, %arg2[%arg3, %arg4] : memref<9x11xi32>
        }
        affine.for %arg5 = 12 to 14 {
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

