#map = affine_map<()[s0] -> ((s0 floordiv 4) * 4)>
#map1 = affine_map<(d0) -> (d0 + 1)>
#map2 = affine_map<(d0) -> (d0 + 2)>
#map3 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: f32, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.797884583 : f32
    %cst_2 = arith.constant 4.471500e-02 : f32
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg1, %c0 : memref<?x?xf32>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf32>
    affine.for %arg3 = 0 to %dim {
      affine.for %arg4 = 0 to #map()[%dim_3] step 4 {
        %0 = affine.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %1 = arith.mulf %0, %0 : f32
        %2 = arith.mulf %1, %0 : f32
        %3 = math.fma %cst_2, %2, %0 : f32
        %4 = arith.mulf %3, %cst_1 : f32
        %5 = math.tanh %4 fastmath<contract> : f32
        %6 = arith.addf %5, %cst_0 : f32
        %7 = arith.mulf %0, %cst : f32
        %8 = arith.mulf %7, %6 : f32
        %9 = arith.mulf %arg0, %8 : f32
        affine.store %9, %arg2[%arg3, %arg4] : memref<?x?xf32>
        %10 = affine.apply #map1(%arg4)
        %11 = affine.load %arg1[%arg3, %10] : memref<?x?xf32>
        %12 = arith.mulf %11, %11 : f32
        %13 = arith.mulf %12, %11 : f32
        %14 = math.fma %cst_2, %13, %11 : f32
        %15 = arith.mulf %14, %cst_1 : f32
        %16 = math.tanh %15 fastmath<contract> : f32
        %17 = arith.addf %16, %cst_0 : f32
        %18 = arith.mulf %11, %cst : f32
        %19 = arith.mulf %18, %17 : f32
        %20 = arith.mulf %arg0, %19 : f32
        affine.store %20, %arg2[%arg3, %10] : memref<?x?xf32>
        %21 = affine.apply #map2(%arg4)
        %22 = affine.load %arg1[%arg3, %21] : memref<?x?xf32>
        %23 = arith.mulf %22, %22 : f32
        %24 = arith.mulf %23, %22 : f32
        %25 = math.fma %cst_2, %24, %22 : f32
        %26 = arith.mulf %25, %cst_1 : f32
        %27 = math.tanh %26 fastmath<contract> : f32
        %28 = arith.addf %27, %cst_0 : f32
        %29 = arith.mulf %22, %cst : f32
        %30 = arith.mulf %29, %28 : f32
        %31 = arith.mulf %arg0, %30 : f32
        affine.store %31, %arg2[%arg3, %21] : memref<?x?xf32>
        %32 = affine.apply #map3(%arg4)
        %33 = affine.load %arg1[%arg3, %32] : memref<?x?xf32>
        %34 = arith.mulf %33, %33 : f32
        %35 = arith.mulf %34, %33 : f32
        %36 = math.fma %cst_2, %35, %33 : f32
        %37 = arith.mulf %36, %cst_1 : f32
        %38 = math.tanh %37 fastmath<contract> : f32
        %39 = arith.addf %38, %cst_0 : f32
        %40 = arith.mulf %33, %cst : f32
        %41 = arith.mulf %40, %39 : f32
        %42 = arith.mulf %arg0, %41 : f32
        affine.store %42, %arg2[%arg3, %32] : memref<?x?xf32>
      }
      affine.for %arg4 = #map()[%dim_3] to %dim_3 {
        %0 = affine.load %arg1[%arg3, %arg4] : memref<?x?xf32>
        %1 = arith.mulf %0, %0 : f32
        %2 = arith.mulf %1, %0 : f32
        %3 = math.fma %cst_2, %2, %0 : f32
        %4 = arith.mulf %3, %cst_1 : f32
        %5 = math.tanh %4 fastmath<contract> : f32
        %6 = arith.addf %5, %cst_0 : f32
        %7 = arith.mulf %0, %cst : f32
        %8 = arith.mulf %7, %6 : f32
        %9 = arith.mulf %arg0, %8 : f32
        affine.store %9, %arg2[%arg3, %arg4] : memref<?x?xf32>
      }
    }
    return
  }
}

