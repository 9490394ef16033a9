#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    affine.for %arg4 = 0 to 9 {
      affine.for %arg5 = 0 to 8 step 4 {
        %0 = affine.load %arg0[%arg4, %arg5] : memref<9x11xf32>
        %1 = affine.load %arg1[%arg4] : memref<9xf32>
        %2 = affine.load %arg2[%arg4] : memref<9xf32>
        %3 = arith.addf %1, %0 : f32
        %4 = arith.maximumf %2, %0 : f32
        affine.store %3, %arg1[%arg4] : memref<9xf32>
        affine.store %4, %arg2[%arg4] : memref<9xf32>
        %5 = affine.apply #map(%arg5)
        %6 = affine.load %arg0[%arg4, %5] : memref<9x11xf32>
        %7 = affine.load %arg1[%arg4] : memref<9xf32>
        %8 = arith.addf %7, %6 : f32
        %9 = arith.maximumf %4, %6 : f32
        affine.store %8, %arg1[%arg4] : memref<9xf32>
        affine.store %9, %arg2[%arg4] : memref<9xf32>
        %10 = affine.apply #map1(%arg5)
        %11 = affine.load %arg0[%arg4, %10] : memref<9x11xf32>
        %12 = affine.load %arg1[%arg4] : memref<9xf32>
        %13 = arith.addf %12, %11 : f32
        %14 = arith.maximumf %9, %11 : f32
        affine.store %13, %arg1[%arg4] : memref<9xf32>
        affine.store %14, %arg2[%arg4] : memref<9xf32>
        %15 = affine.apply #map2(%arg5)
        %16 = affine.load %arg0[%arg4, %15] : memref<9x11xf32>
        %17 = affine.load %arg1[%arg4] : memref<9xf32>
        %18 = arith.addf %17, %16 : f32
        %19 = arith.maximumf %14, %16 : f32
        affine.store %18, %arg1[%arg4] : memref<9xf32>
        affine.store %19, %arg2[%arg4] : memref<9xf32>
      }
      affine.for %arg5 = 8 to 11 {
        %0 = affine.load %arg0[%arg4, %arg5] : memref<9x11xf32>
        %1 = affine.load %arg1[%arg4] : memref<9xf32>
        %2 = affine.load %arg2[%arg4] : memref<9xf32>
        %3 = arith.addf %1, %0 : f32
        %4 = arith.maximumf %2, %0 : f32
        affine.store %3, %arg1[%arg4] : memref<9xf32>
        affine.store %4, %arg2[%arg4] : memref<9xf32>
      }
    }
    affine.for %arg4 = 0 to 9 {
      affine.for %arg5 = 0 to 8 step 4 {
        %0 = arith.muli %arg4, %c100 : index
        %1 = arith.addi %0, %arg5 : index
        %2 = arith.index_cast %1 : index to i64
        affine.store %2, %arg3[%arg4, %arg5] : memref<9x11xi64>
        %3 = affine.apply #map(%arg5)
        %4 = arith.muli %arg4, %c100 : index
        %5 = arith.addi %4, %3 : index
        %6 = arith.index_cast %5 : index to i64
        affine.store %6, %arg3[%arg4, %3] : memref<9x11xi64>
        %7 = affine.apply #map1(%arg5)
        %8 = arith.muli %arg4, %c100 : index
        %9 = arith.addi %8, %7 : index
        %10 = arith.index_cast %9 : index to i64
        affine.store %10, %arg3[%arg4, %7] : memref<9x11xi64>
        %11 = affine.apply #map2(%arg5)
        %12 = arith.muli %arg4, %c100 : index
        %13 = arith.addi %12, %11 : index
        %14 = arith.index_cast %13 : index to i64
        affine.store %14, %arg3[%arg4, %11] : memref<9x11xi64>
      }
      affine.for %arg5 = 8 to 11 {
        %0 = arith.muli %arg4, %c100 : index
        %1 = arith.addi %0, %arg5 : index
        %2 = arith.index_cast %1 : index to i64
        affine.store %2, %arg3[%arg4, %arg5] : memref<9x11xi64>
      }
    }
    return
  }
}

