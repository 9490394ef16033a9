#map = affine_map<() -> (16)>
#map1 = affine_map<() -> (5)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map4 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
#map5 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    affine.for %arg3 = 0 to %2 {
      %3 = affine.apply #map3(%arg3)[%1]
      %4 = affine.apply #map4(%arg3)[%1]
      %5 = affine.apply #map5(%4, %3)
      %6 = affine.load %arg0[%5] : memref<20xf64>
      %7 = affine.load %arg1[%3] : memref<5xf64>
      %8 = affine.load %arg2[%4] : memref<16xf64>
      %9 = arith.mulf %6, %7 : f64
      %10 = arith.addf %8, %9 : f64
      affine.store %10, %arg2[%4] : memref<16xf64>
    }
    return
  }
}

