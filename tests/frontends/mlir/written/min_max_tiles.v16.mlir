#map = affine_map<(d0) -> (d0, 2)>
#map1 = affine_map<(d0)[s0] -> (d0 + 5, s0 - 1)>
module {
  func.func @f(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?xf32>
    affine.for %arg2 = 0 to %dim step 5 {
      affine.for %arg3 = 0 to %dim_0 step 5 {
        affine.for %arg4 = max #map(%arg2) to min #map1(%arg2)[%dim] {
          affine.for %arg5 = max #map(%arg3) to min #map1(%arg3)[%dim_0] {
            %0 = affine.load %arg0[%arg4 - 1, %arg5] : memref<?x?xf32>
            %1 = affine.load %arg0[%arg4 + 1, %arg5] : memref<?x?xf32>
            %2 = affine.load %arg0[%arg4, %arg5 - 2] : memref<?x?xf32>
            %3 = affine.load %arg0[%arg4, %arg5 + 1] : memref<?x?xf32>
            %4 = arith.addf %0, %1 : f32
            %5 = arith.addf %2, %3 : f32
            %6 = arith.addf %4, %5 : f32
            affine.store %6, %arg1[%arg4, %arg5] : memref<?x?xf32>
          }
        }
      }
    }
    return
  }
}

