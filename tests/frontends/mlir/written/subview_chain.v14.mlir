#map0 = affine_map<(d0, d1)[s0] -> (d0 * 20 + d1 + s0)>
#map1 = affine_map<(d0)[s0] -> (d0 + s0)>
module {
  func @f(%arg0: memref<16x20xf32>, %arg1: index) {
    %0 = memref.subview %arg0[2, %arg1] [10, 12] [1, 1] : memref<16x20xf32> to memref<10x12xf32, #map0>
    %1 = memref.subview %0[%arg1, 1] [4, 8] [1, 1] : memref<10x12xf32, #map0> to memref<4x8xf32, #map0>
    %2 = memref.subview %1[1, 0] [1, 8] [1, 1] : memref<4x8xf32, #map0> to memref<8xf32, #map1>
    %cst = arith.constant 1.000000e+00 : f32
    linalg.fill(%cst, %2) : f32, memref<8xf32, #map1> 
    return
  }
}

