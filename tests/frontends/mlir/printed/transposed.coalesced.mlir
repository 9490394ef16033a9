#map = affine_map<() -> (10)>
#map1 = affine_map<() -> (8)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<() -> (6)>
#map4 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map5 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
#map6 = affine_map<() -> (7)>
module {
  func.func @f(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>) {
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    %3 = affine.apply #map3()
    %4 = affine.apply #map2(%2)[%3]
    affine.for %arg5 = 0 to %4 {
      %10 = affine.apply #map4(%arg5)[%3]
      %11 = affine.apply #map5(%arg5)[%3]
      %12 = affine.apply #map4(%11)[%1]
      %13 = affine.apply #map5(%11)[%1]
      %14 = affine.load %arg0[%10, %13] : memref<6x10xf32>
      %15 = affine.load %arg1[%10, %12] : memref<6x8xf32>
      %16 = affine.load %arg2[%13, %12] : memref<10x8xf32>
      %17 = arith.mulf %14, %15 : f32
      %18 = arith.addf %16, %17 : f32
      affine.store %18, %arg2[%13, %12] : memref<10x8xf32>
    }
    %5 = affine.apply #map()
    %6 = affine.apply #map6()
    %7 = affine.apply #map2(%5)[%6]
    %8 = affine.apply #map1()
    %9 = affine.apply #map2(%7)[%8]
    affine.for %arg5 = 0 to %9 {
      %10 = affine.apply #map4(%arg5)[%8]
      %11 = affine.apply #map5(%arg5)[%8]
      %12 = affine.apply #map4(%11)[%6]
      %13 = affine.apply #map5(%11)[%6]
      %14 = affine.load %arg2[%13, %10] : memref<10x8xf32>
      %15 = affine.load %arg3[%12, %10] : memref<7x8xf32>
      %16 = affine.load %arg4[%13, %12] : memref<10x7xf32>
      %17 = arith.mulf %14, %15 : f32
      %18 = arith.addf %16, %17 : f32
      affine.store %18, %arg4[%13, %12] : memref<10x7xf32>
    }
    return
  }
}

