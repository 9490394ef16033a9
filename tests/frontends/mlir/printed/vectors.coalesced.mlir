#map = affine_map<() -> (8)>
#map1 = affine_map<() -> (13)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map4 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    affine.for %arg5 = 0 to %2 {
      %6 = affine.apply #map3(%arg5)[%1]
      %7 = affine.apply #map4(%arg5)[%1]
      %8 = affine.load %arg0[%7, %6] : memref<8x13xf64>
      %9 = affine.load %arg1[%6] : memref<13xf64>
      %10 = affine.load %arg2[%7] : memref<8xf64>
      %11 = arith.mulf %8, %9 : f64
      %12 = arith.addf %10, %11 : f64
      affine.store %12, %arg2[%7] : memref<8xf64>
    }
    %3 = affine.apply #map1()
    %4 = affine.apply #map()
    %5 = affine.apply #map2(%3)[%4]
    affine.for %arg5 = 0 to %5 {
      %6 = affine.apply #map3(%arg5)[%4]
      %7 = affine.apply #map4(%arg5)[%4]
      %8 = affine.load %arg2[%6] : memref<8xf64>
      %9 = affine.load %arg0[%6, %7] : memref<8x13xf64>
      %10 = affine.load %arg3[%7] : memref<13xf64>
      %11 = arith.mulf %8, %9 : f64
      %12 = arith.addf %10, %11 : f64
      affine.store %12, %arg3[%7] : memref<13xf64>
    }
    affine.for %arg5 = 0 to 13 {
      %6 = affine.load %arg1[%arg5] : memref<13xf64>
      %7 = affine.load %arg3[%arg5] : memref<13xf64>
      %8 = affine.load %arg4[] : memref<f64>
      %9 = arith.mulf %6, %7 : f64
      %10 = arith.addf %8, %9 : f64
      affine.store %10, %arg4[] : memref<f64>
    }
    return
  }
}

