#map = affine_map<()[s0] -> (s0 ceildiv 4)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0)[s0] -> (4, -d0 + s0)>
#map3 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>) {
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg2, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_0 = memref.dim %arg2, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    affine.for %arg3 = 0 to #map()[%dim] {
      %0 = affine.apply #map1(%arg3)
      affine.for %arg4 = 0 to #map()[%dim_0] {
        %1 = affine.apply #map1(%arg4)
        affine.for %arg5 = 0 to min #map2(%0)[%dim] {
          %2 = affine.apply #map3(%0, %arg5)
          affine.for %arg6 = 0 to min #map2(%1)[%dim_0] {
            %3 = affine.apply #map3(%1, %arg6)
            affine.store %cst, %arg2[%2, %3] : memref<?x?xf64, strided<[?, 1], offset: ?>>
          }
        }
      }
    }
    %dim_1 = memref.dim %arg0, %c0 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_2 = memref.dim %arg0, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    %dim_3 = memref.dim %arg1, %c1 : memref<?x?xf64, strided<[?, 1], offset: ?>>
    affine.for %arg3 = 0 to #map()[%dim_1] {
      %0 = affine.apply #map1(%arg3)
      affine.for %arg4 = 0 to #map()[%dim_3] {
        %1 = affine.apply #map1(%arg4)
        affine.for %arg5 = 0 to #map()[%dim_2] {
          %2 = affine.apply #map1(%arg5)
          affine.for %arg6 = 0 to min #map2(%0)[%dim_1] {
            %3 = affine.apply #map3(%0, %arg6)
            affine.for %arg7 = 0 to min #map2(%1)[%dim_3] {
              %4 = affine.apply #map3(%1, %arg7)
              affine.for %arg8 = 0 to min #map2(%2)[%dim_2] {
                %5 = affine.apply #map3(%2, %arg8)
                %6 = affine.load %arg0[%3, %5] : memref<?x?xf64, strided<[?, 1], offset: ?>>
                %7 = affine.load %arg1[%5, %4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
                %8 = affine.load %arg2[%3, %4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
                %9 = arith.mulf %6, %7 : f64
                %10 = arith.addf %8, %9 : f64
                affine.store %10, %arg2[%3, %4] : memref<?x?xf64, strided<[?, 1], offset: ?>>
              }
            }
          }
        }
      }
    }
    return
  }
}

