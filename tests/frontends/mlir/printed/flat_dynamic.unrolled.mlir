#map = affine_map<()[s0] -> ((s0 floordiv 3) * 3)>
#map1 = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>
#map2 = affine_map<(d0) -> (d0 + 1)>
#map3 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index) {
    affine.for %arg6 = 0 to %arg3 {
      affine.for %arg7 = 0 to %arg4 {
        affine.for %arg8 = 0 to #map()[%arg5] step 3 {
          %0 = affine.apply #map1(%arg6, %arg8)[%arg5]
          %1 = affine.apply #map1(%arg8, %arg7)[%arg4]
          %2 = affine.apply #map1(%arg6, %arg7)[%arg4]
          %3 = memref.load %arg0[%0] : memref<?xf64>
          %4 = memref.load %arg1[%1] : memref<?xf64>
          %5 = memref.load %arg2[%2] : memref<?xf64>
          %6 = arith.mulf %3, %4 : f64
          %7 = arith.addf %5, %6 : f64
          memref.store %7, %arg2[%2] : memref<?xf64>
          %8 = affine.apply #map2(%arg8)
          %9 = affine.apply #map1(%arg6, %8)[%arg5]
          %10 = affine.apply #map1(%8, %arg7)[%arg4]
          %11 = affine.apply #map1(%arg6, %arg7)[%arg4]
          %12 = memref.load %arg0[%9] : memref<?xf64>
          %13 = memref.load %arg1[%10] : memref<?xf64>
          %14 = memref.load %arg2[%11] : memref<?xf64>
          %15 = arith.mulf %12, %13 : f64
          %16 = arith.addf %14, %15 : f64
          memref.store %16, %arg2[%11] : memref<?xf64>
          %17 = affine.apply #map3(%arg8)
          %18 = affine.apply #map1(%arg6, %17)[%arg5]
          %19 = affine.apply #map1(%17, %arg7)[%arg4]
          %20 = affine.apply #map1(%arg6, %arg7)[%arg4]
          %21 = memref.load %arg0[%18] : memref<?xf64>
          %22 = memref.load %arg1[%19] : memref<?xf64>
          %23 = memref.load %arg2[%20] : memref<?xf64>
          %24 = arith.mulf %21, %22 : f64
          %25 = arith.addf %23, %24 : f64
          memref.store %25, %arg2[%20] : memref<?xf64>
        }
        affine.for %arg8 = #map()[%arg5] to %arg5 {
          %0 = affine.apply #map1(%arg6, %arg8)[%arg5]
          %1 = affine.apply #map1(%arg8, %arg7)[%arg4]
          %2 = affine.apply #map1(%arg6, %arg7)[%arg4]
          %3 = memref.load %arg0[%0] : memref<?xf64>
          %4 = memref.load %arg1[%1] : memref<?xf64>
          %5 = memref.load %arg2[%2] : memref<?xf64>
          %6 = arith.mulf %3, %4 : f64
          %7 = arith.addf %5, %6 : f64
          memref.store %7, %arg2[%2] : memref<?xf64>
        }
      }
    }
    return
  }
}

