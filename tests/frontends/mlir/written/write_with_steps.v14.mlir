#map0 = affine_map<(d0) -> (d0 * 2)>
#map1 = affine_map<(d0) -> (d0 * 2 + 1)>
module {
  func @f(%arg0: memref<?xf32>, %arg1: index) {
    %c2 = arith.constant 2 : index
    %0 = arith.divsi %arg1, %c2 : index
    %1 = memref.subview %arg0[0] [%0] [2] : memref<?xf32> to memref<?xf32, #map0>
    %2 = memref.subview %arg0[1] [%0] [2] : memref<?xf32> to memref<?xf32, #map1>
    affine.for %arg2 = 0 to %0 {
      %3 = affine.load %1[%arg2] : memref<?xf32, #map0>
      %4 = affine.load %2[%arg2] : memref<?xf32, #map1>
      %5 = arith.addf %3, %4 : f32
      %6 = arith.subf %3, %4 : f32
      affine.store %5, %1[%arg2] : memref<?xf32, #map0>
      affine.store %6, %2[%arg2] : memref<?xf32, #map1>
    }
    return
  }
}

