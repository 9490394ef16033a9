#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
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
    %0 = affine.apply #map()[%dim]
    %1 = affine.apply #map()[%dim_3]
    %2 = affine.apply #map1(%0)[%1]
    affine.for %arg3 = 0 to %2 {
      %3 = affine.apply #map2(%arg3)[%1]
      %4 = affine.apply #map3(%arg3)[%1]
      %5 = affine.load %arg1[%4, %3] : memref<?x?xf32>
      %6 = arith.mulf %5, %5 : f32
      %7 = arith.mulf %6, %5 : f32
      %8 = math.fma %cst_2, %7, %5 : f32
      %9 = arith.mulf %8, %cst_1 : f32
      %10 = math.tanh %9 fastmath<contract> : f32
      %11 = arith.addf %10, %cst_0 : f32
      %12 = arith.mulf %5, %cst : f32
      %13 = arith.mulf %12, %11 : f32
      %14 = arith.mulf %arg0, %13 : f32
      affine.store %14, %arg2[%4, %3] : memref<?x?xf32>
    }
    return
  }
}

