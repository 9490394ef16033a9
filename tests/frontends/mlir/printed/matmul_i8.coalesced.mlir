#map = affine_map<() -> (9)>
#map1 = affine_map<() -> (11)>
#map2 = affine_map<(d0)[s0] -> (d0 * s0)>
#map3 = affine_map<() -> (14)>
#map4 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map5 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>) {
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
      %9 = affine.load %arg0[%8, %5] : memref<9x14xi8>
      %10 = affine.load %arg1[%5, %7] : memref<14x11xi8>
      %11 = affine.load %arg2[%8, %7] : memref<9x11xi32>
      %12 = arith.extsi %9 : i8 to i32
      %13 = arith.extsi %10 : i8 to i32
      %14 = arith.muli %12, %13 : i32
      %15 = arith.addi %11, %14 : i32
      affine.store %15, %arg2[%8, %7] : memref<9x11xi32>
    }
    return
  }
}

