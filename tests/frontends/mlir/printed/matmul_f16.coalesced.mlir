#map = affine_map<() -> (16)>
#map1 = affine_map<() -> (24)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<() -> (32)>
#map4 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map5 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    %3 = affine.apply #map3()
    %4 = affine.apply #map2(%2)[%3]
    affine.for %arg3 = 0 to %4 {
      %5 = affine.apply #map4(%arg3)[%3]
      %6 = affine.apply #map5(%arg3)[%3]
      %7 = affine.apply #map4(%6)[%1]
      %8 = affine.apply #map5(%6)[%1]
      %9 = affine.load %arg0[%8, %5] : memref<16x32xf16>
      %10 = affine.load %arg1[%5, %7] : memref<32x24xf16>
      %11 = affine.load %arg2[%8, %7] : memref<16x24xf32>
      %12 = arith.extf %9 : f16 to f32
      %13 = arith.extf %10 : f16 to f32
      %14 = arith.mulf %12, %13 : f32
      %15 = arith.addf %11, %14 : f32
      affine.store %15, %arg2[%8, %7] : memref<16x24xf32>
    }
    return
  }
}

