#map = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 2)>
#map3 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?x?xf32>
    %dim_1 = memref.dim %arg0, %c2 : memref<?x?x?xf32>
    %dim_2 = memref.dim %arg1, %c2 : memref<?x?x?xf32>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to %dim_0 {
        affine.for %arg5 = 0 to %dim_2 {
          affine.for %arg6 = 0 to #map()[%dim_1] step 4 {
            %0 = affine.load %arg0[%arg3, %arg4, %arg6] : memref<?x?x?xf32>
            %1 = affine.load %arg1[%arg3, %arg6, %arg5] : memref<?x?x?xf32>
            %2 = affine.load %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %5 = affine.apply #map1(%arg6)
            %6 = affine.load %arg0[%arg3, %arg4, %5] : memref<?x?x?xf32>
            %7 = affine.load %arg1[%arg3, %5, %arg5] : memref<?x?x?xf32>
            %8 = arith.mulf %6, %7 : f32
            %9 = arith.addf %4, %8 : f32
            affine.store %9, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %10 = affine.apply #map2(%arg6)
            %11 = affine.load %arg0[%arg3, %arg4, %10] : memref<?x?x?xf32>
            %12 = affine.load %arg1[%arg3, %10, %arg5] : memref<?x?x?xf32>
            %13 = arith.mulf %11, %12 : f32
            %14 = arith.addf %9, %13 : f32
            affine.store %14, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %15 = affine.apply #map3(%arg6)
            %16 = affine.load %arg0[%arg3, %arg4, %15] : memref<?x?x?xf32>
            %17 = affine.load %arg1[%arg3, %15, %arg5] : memref<?x?x?xf32>
            %18 = arith.mulf %16, %17 : f32
            %19 = arith.addf %14, %18 : f32
            affine.store %19, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
          }
          affine.for %arg6 = #map()[%dim_1] to %dim_1 {
            %0 = affine.load %arg0[%arg3, %arg4, %arg6] : memref<?x?x?xf32>
            %1 = affine.load %arg1[%arg3, %arg6, %arg5] : memref<?x?x?xf32>
            %2 = affine.load %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
            %3 = arith.mulf %0, %1 : f32
            %4 = arith.addf %2, %3 : f32
            affine.store %4, %arg2[%arg3, %arg4, %arg5] : memref<?x?x?xf32>
          }
        }
      }
    }
    return
  }
}

