#map = affine_map<() -> (9)>
#map1 = affine_map<() -> (11)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map4 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    %c100 = arith.constant 100 : index
    %0 = affine.apply #map()
    %1 = affine.apply #map1()
    %2 = affine.apply #map2(%0)[%1]
    affine.for %arg4 = 0 to %2 {
      %6 = affine.apply #map3(%arg4)[%1]
      %7 = affine.apply #map4(%arg4)[%1]
      %8 = affine.load %arg0[%7, %6] : memref<9x11xf32>
      %9 = affine.load %arg1[%7] : memref<9xf32>
      %10 = affine.load %arg2[%7] : memref<9xf32>
      %11 = arith.addf %9, %8 : f32
      %12 = arith.maximumf %10, %8 : f32
      affine.store %11, %arg1[%7] : memref<9xf32>
      affine.store %12, %arg2[%7] : memref<9xf32>
    }
    %3 = affine.apply #map()
    %4 = affine.apply #map1()
    %5 = affine.apply #map2(%3)[%4]
    affine.for %arg4 = 0 to %5 {
      %6 = affine.apply #map3(%arg4)[%4]
      %7 = affine.apply #map4(%arg4)[%4]
      %8 = arith.muli %7, %c100 : index
      %9 = arith.addi %8, %6 : index
      %10 = arith.index_cast %9 : index to i64
      affine.store %10, %arg3[%7, %6] : memref<9x11xi64>
    }
    return
  }
}

