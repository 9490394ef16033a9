#map = affine_map<() -> (10)>
#map1 = affine_map<() -> (14)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map4 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<240xf32>, %arg1: memref<336xf32>, %arg2: memref<140xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    affine.for %arg3 = 0 to %2 {
      %3 = affine.apply #map3(%arg3)[%1]
      %4 = affine.apply #map4(%arg3)[%1]
      affine.store %cst, %arg2[%4 * 14 + %3] : memref<140xf32>
      affine.for %arg4 = 0 to 24 {
        %5 = affine.load %arg0[%4 * 24 + %arg4] : memref<240xf32>
        %6 = affine.load %arg1[%arg4 * 14 + %3] : memref<336xf32>
        %7 = affine.load %arg2[%4 * 14 + %3] : memref<140xf32>
        %8 = arith.mulf %5, %6 : f32
        %9 = arith.addf %7, %8 : f32
        affine.store %9, %arg2[%4 * 14 + %3] : memref<140xf32>
      }
    }
    return
  }
}

