#map = affine_map<(d0, d1) -> (d0 + d1 * 6)>
module {
  func @f(%arg0: memref<24xf32>, %arg1: memref<6x4xf32>) {
    %0 = memref.reinterpret_cast %arg0 to offset: [0], sizes: [6, 4], strides: [1, 6] : memref<24xf32> to memref<6x4xf32, #map>
    memref.copy %0, %arg1 : memref<6x4xf32, #map> to memref<6x4xf32>
    return
  }
}

