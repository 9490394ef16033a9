#map = affine_map<()[s0] -> (s0 ceildiv 4)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0)[s0] -> (4, -d0 + s0)>
#map3 = affine_map<(d0, d1) -> (d0 + d1)>
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
    affine.for %arg3 = 0 to #map()[%dim] {
      %0 = affine.apply #map1(%arg3)
      affine.for %arg4 = 0 to #map()[%dim_3] {
        %1 = affine.apply #map1(%arg4)
        affine.for %arg5 = 0 to min #map2(%0)[%dim] {
          %2 = affine.apply #map3(%0, %arg5)
          affine.for %arg6 = 0 to min #map2(%1)[%dim_3] {
            %3 = affine.apply #map3(%1, %arg6)
            %4 = affine.load %arg1[%2, %3] : memref<?x?xf32>
            %5 = arith.mulf %4, %4 : f32
            %6 = arith.mulf %5, %4 : f32
            %7 = math.fma %cst_2, %6, %4 : f32
            %8 = arith.mulf %7, %cst_1 : f32
            %9 = math.tanh %8 fastmath<contract> : f32
            %10 = arith.addf %9, %cst_0 : f32
            %11 = arith.mulf %4, %cst : f32
            %12 = arith.mulf %11, %10 : f32
            %13 = arith.mulf %arg0, %12 : f32
            affine.store %13, %arg2[%2, %3] : memref<?x?xf32>
          }
        }
      }
    }
    return
  }
}

