#map = affine_map<(d0) -> (d0)>
module {
  func.func @f(%arg0: memref<?x?xf64>) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xf64>
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to #map(%arg1) {
        affine.for %arg3 = 0 to #map(%arg2) {
          %5 = affine.load %arg0[%arg1, %arg3] : memref<?x?xf64>
          %6 = affine.load %arg0[%arg2, %arg3] : memref<?x?xf64>
          %7 = arith.mulf %5, %6 : f64
          %8 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf64>
          %9 = arith.subf %8, %7 : f64
          affine.store %9, %arg0[%arg1, %arg2] : memref<?x?xf64>
        }
        %2 = affine.load %arg0[%arg2, %arg2] : memref<?x?xf64>
        %3 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf64>
        %4 = arith.divf %3, %2 : f64
        affine.store %4, %arg0[%arg1, %arg2] : memref<?x?xf64>
      }
      affine.for %arg2 = 0 to #map(%arg1) {
        %2 = affine.load %arg0[%arg1, %arg2] : memref<?x?xf64>
        %3 = arith.mulf %2, %2 : f64
        %4 = affine.load %arg0[%arg1, %arg1] : memref<?x?xf64>
        %5 = arith.subf %4, %3 : f64
        affine.store %5, %arg0[%arg1, %arg1] : memref<?x?xf64>
      }
      %0 = affine.load %arg0[%arg1, %arg1] : memref<?x?xf64>
      %1 = math.sqrt %0 : f64
      affine.store %1, %arg0[%arg1, %arg1] : memref<?x?xf64>
    }
    return
  }
}

