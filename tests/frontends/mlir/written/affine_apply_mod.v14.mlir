#map0 = affine_map<(d0)[s0] -> ((d0 + s0) mod 7)>
#map1 = affine_map<(d0, d1) -> (d0 ceildiv 2 + d1 floordiv 3)>
module {
  func @f(%arg0: memref<7xf32>, %arg1: memref<?x6xf32>, %arg2: index) {
    %c0 = arith.constant 0 : index
    %0 = memref.dim %arg1, %c0 : memref<?x6xf32>
    affine.for %arg3 = 0 to %0 {
      affine.for %arg4 = 0 to 6 {
        %1 = affine.apply #map0(%arg3)[%arg2]
        %2 = affine.apply #map1(%1, %arg4)
        %3 = memref.load %arg0[%2] : memref<7xf32>
        memref.store %3, %arg1[%arg3, %arg4] : memref<?x6xf32>
      }
    }
    return
  }
}

