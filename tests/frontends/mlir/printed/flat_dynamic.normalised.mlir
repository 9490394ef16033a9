#map = affine_map<()[s0] -> (s0 ceildiv 4)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0)[s0] -> (4, -d0 + s0)>
#map3 = affine_map<(d0, d1) -> (d0 + d1)>
#map4 = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>
module {
  func.func @f(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index) {
    affine.for %arg6 = 0 to #map()[%arg3] {
      %0 = affine.apply #map1(%arg6)
      affine.for %arg7 = 0 to #map()[%arg4] {
        %1 = affine.apply #map1(%arg7)
        affine.for %arg8 = 0 to #map()[%arg5] {
          %2 = affine.apply #map1(%arg8)
          affine.for %arg9 = 0 to min #map2(%0)[%arg3] {
            %3 = affine.apply #map3(%0, %arg9)
            affine.for %arg10 = 0 to min #map2(%1)[%arg4] {
              %4 = affine.apply #map3(%1, %arg10)
              affine.for %arg11 = 0 to min #map2(%2)[%arg5] {
                %5 = affine.apply #map3(%2, %arg11)
                %6 = affine.apply #map4(%3, %5)[%arg5]
                %7 = affine.apply #map4(%5, %4)[%arg4]
                %8 = affine.apply #map4(%3, %4)[%arg4]
                %9 = memref.load %arg0[%6] : memref<?xf64>
                %10 = memref.load %arg1[%7] : memref<?xf64>
                %11 = memref.load %arg2[%8] : memref<?xf64>
                %12 = arith.mulf %9, %10 : f64
                %13 = arith.addf %11, %12 : f64
                memref.store %13, %arg2[%8] : memref<?xf64>
              }
            }
          }
        }
      }
    }
    return
  }
}

