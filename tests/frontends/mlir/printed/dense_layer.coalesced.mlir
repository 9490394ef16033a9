#map = affine_map<() -> (10)>
#map1 = affine_map<() -> (14)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map4 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
#map5 = affine_map<() -> (12)>
module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    affine.for %arg4 = 0 to %2 {
      %11 = affine.apply #map3(%arg4)[%1]
      %12 = affine.apply #map4(%arg4)[%1]
      affine.store %cst, %arg3[%12, %11] : memref<10x14xf32>
    }
    %3 = affine.apply #map()
    %4 = affine.apply #map1()
    %5 = affine.apply #map2(%3)[%4]
    %6 = affine.apply #map5()
    %7 = affine.apply #map2(%5)[%6]
    affine.for %arg4 = 0 to %7 {
      %11 = affine.apply #map3(%arg4)[%6]
      %12 = affine.apply #map4(%arg4)[%6]
      %13 = affine.apply #map3(%12)[%4]
      %14 = affine.apply #map4(%12)[%4]
      %15 = affine.load %arg0[%14, %11] : memref<10x12xf32>
      %16 = affine.load %arg1[%11, %13] : memref<12x14xf32>
      %17 = affine.load %arg3[%14, %13] : memref<10x14xf32>
      %18 = arith.mulf %15, %16 : f32
      %19 = arith.addf %17, %18 : f32
      affine.store %19, %arg3[%14, %13] : memref<10x14xf32>
    }
    %8 = affine.apply #map()
    %9 = affine.apply #map1()
    %10 = affine.apply #map2(%8)[%9]
    affine.for %arg4 = 0 to %10 {
      %11 = affine.apply #map3(%arg4)[%9]
      %12 = affine.apply #map4(%arg4)[%9]
      %13 = affine.load %arg2[%11] : memref<14xf32>
      %14 = affine.load %arg3[%12, %11] : memref<10x14xf32>
      %15 = arith.addf %14, %13 : f32
      %16 = arith.maximumf %15, %cst : f32
      affine.store %16, %arg3[%12, %11] : memref<10x14xf32>
    }
    return
  }
}

