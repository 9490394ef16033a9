#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#map2 = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>
module {
  func.func @f(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index) {
    affine.for %arg6 = 0 to %arg3 step 4 {
      affine.for %arg7 = 0 to %arg4 step 4 {
        affine.for %arg8 = 0 to %arg5 step 4 {
          affine.for %arg9 = #map(%arg6) to min #map1(%arg6)[%arg3] {
            affine.for %arg10 = #map(%arg7) to min #map1(%arg7)[%arg4] {
              affine.for %arg11 = #map(%arg8) to min #map1(%arg8)[%arg5] {
                %0 = affine.apply #map2(%arg9, %arg11)[%arg5]
                %1 = affine.apply #map2(%arg11, %arg10)[%arg4]
                %2 = affine.apply #map2(%arg9, %arg10)[%arg4]
                %3 = memref.load %arg0[%0] : memref<?xf64>
                %4 = memref.load %arg1[%1] : memref<?xf64>
                %5 = memref.load %arg2[%2] : memref<?xf64>
                %6 = arith.mulf %3, %4 : f64
                %7 = arith.addf %5, %6 : f64
                memref.store %7, %arg2[%2] : memref<?xf64>
              }
            }
          }
        }
      }
    }
    return
  }
}

