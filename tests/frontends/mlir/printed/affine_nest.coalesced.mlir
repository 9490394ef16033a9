#map = affine_map<() -> (16)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<16x16xf32>, %arg1: memref<16x16xf32>, %arg2: memref<16x16xf32>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map()
    %2 = affine.apply #map1(%0)[%1]
    %3 = affine.apply #map()
    %4 = affine.apply #map1(%2)[%3]
    affine.for %arg3 = 0 to %4 {
      %5 = affine.apply #map2(%arg3)[%3]
      %6 = affine.apply #map3(%arg3)[%3]
      %7 = affine.apply #map2(%6)[%1]
      %8 = affine.apply #map3(%6)[%1]
      %9 = affine.load %arg0[%8, %5] : memref<16x16xf32>
      %10 = affine.load %arg1[%5, %7] : memref<16x16xf32>
      %11 = affine.load %arg2[%8, %7] : memref<16x16xf32>
      %12 = arith.mulf %9, %10 : f32
      %13 = arith.addf %11, %12 : f32
      affine.store %13, %arg2[%8, %7] : memref<16x16xf32>
    }
    return
  }
}

