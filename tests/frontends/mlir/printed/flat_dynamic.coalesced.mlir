#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
#map4 = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>
module {
  func.func @f(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index) {
    %0 = affine.apply #map()[%arg3]
    %1 = affine.apply #map()[%arg4]
    %2 = affine.apply #map1(%0)[%1]
    %3 = affine.apply #map()[%arg5]
    %4 = affine.apply #map1(%2)[%3]
    affine.for %arg6 = 0 to %4 {
      %5 = affine.apply #map2(%arg6)[%3]
      %6 = affine.apply #map3(%arg6)[%3]
      %7 = affine.apply #map2(%6)[%1]
      %8 = affine.apply #map3(%6)[%1]
      %9 = affine.apply #map4(%8, %5)[%arg5]
      %10 = affine.apply #map4(%5, %7)[%arg4]
      %11 = affine.apply #map4(%8, %7)[%arg4]
      %12 = memref.load %arg0[%9] : memref<?xf64>
      %13 = memref.load %arg1[%10] : memref<?xf64>
      %14 = memref.load %arg2[%11] : memref<?xf64>
      %15 = arith.mulf %12, %13 : f64
      %16 = arith.addf %14, %15 : f64
      memref.store %16, %arg2[%11] : memref<?xf64>
    }
    return
  }
}

