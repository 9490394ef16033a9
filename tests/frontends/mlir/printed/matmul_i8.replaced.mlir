#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
    affine.for %arg3 = 0 to 9 {
      affine.for %arg4 = 0 to 11 {
        affine.for %arg5 = 0 to 12 step 4 {
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
          %10 = arith.extsi %8 : i8 to i32
          %11 = arith.extsi %9 : i8 to i32
          %12 = arith.muli %10, %11 : i32
          %13 = arith.addi %6, %12 : i32
          affine.store %13, %arg2[%arg3, %arg4] : memref<9x11xi32>
          %14 = affine.apply #map1(%arg5)
          %15 = affine.load %arg0[%arg3, %14] : memref<9x14xi8>
          %16 = affine.load %arg1[%14, %arg4] : memref<14x11xi8>
          %17 = arith.extsi %15 : i8 to i32
          %18 = arith.extsi %16 : i8 to i32
          %19 = arith.muli %17, %18 : i32
          %20 = arith.addi %13, %19 : i32
          affine.store %20, %arg2[%arg3, %arg4] : memref<9x11xi32>
          %21 = affine.apply #map2(%arg5)
          %22 = affine.load %arg0[%arg3, %21] : memref<9x14xi8>
          %23 = affine.load %arg1[%21, %arg4] : memref<14x11xi8>
          %24 = arith.extsi %22 : i8 to i32
          %25 = arith.extsi %23 : i8 to i32
          %26 = arith.muli %24, %25 : i32
          %27 = arith.addi %20, %26 : i32
          affine.store %27, %arg2[%arg3, %arg4] : memref<9x11xi32>
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

