#map = affine_map<()[s0] -> (s0 ceildiv 4)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0)[s0] -> (4, -d0 + s0)>
#map3 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?x?xf32>
    %dim_1 = memref.dim %arg0, %c2 : memref<?x?x?xf32>
    %dim_2 = memref.dim %arg1, %c2 : memref<?x?x?xf32>
    affine.for %arg3 = 0 to #map()[%dim] {
      %0 = affine.apply #map1(%arg3)
      affine.for %arg4 = 0 to #map()[%dim_0] {
        %1 = affine.apply #map1(%arg4)
        affine.for %arg5 = 0 to #map()[%dim_2] {
          %2 = affine.apply #map1(%arg5)
          affine.for %arg6 = 0 to #map()[%dim_1] {
            %3 = affine.apply #map1(%arg6)
            affine.for %arg7 = 0 to min #map2(%0)[%dim] {
              %4 = affine.apply #map3(%0, %arg7)
              affine.for %arg8 = 0 to min #map2(%1)[%dim_0] {
                %5 = affine.apply #map3(%1, %arg8)
                affine.for %arg9 = 0 to min #map2(%2)[%dim_2] {
                  %6 = affine.apply #map3(%2, %arg9)
                  affine.for %arg10 = 0 to min #map2(%3)[%dim_1] {
                    %7 = affine.apply #map3(%3, %arg10)
                    %8 = affine.load %arg0[%4, %5, %7] : memref<?x?x?xf32>
                    %9 = affine.load %arg1[%4, %7, %6] : memref<?x?x?xf32>
                    %10 = affine.load %arg2[%4, %5, %6] : memref<?x?x?xf32>
                    %11 = arith.mulf %8, %9 : f32
                    %12 = arith.addf %10, %11 : f32
                    affine.store %12, %arg2[%4, %5, %6] : memref<?x?x?xf32>
                  }
                }
              }
            }
          }
        }
      }
    }
    return
  }
}

