#map = affine_map<()[s0] -> (s0)>
#map1 = affine_map<(d0)[s0] -> (d0 * s0)>
#map2 = affine_map<(d0)[s0] -> (d0 mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv s0)>
module {
  func.func @f(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>) {
    %c2 = arith.constant 2 : index
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?x?xf32>
    %dim_0 = memref.dim %arg0, %c1 : memref<?x?x?xf32>
    %dim_1 = memref.dim %arg0, %c2 : memref<?x?x?xf32>
    %dim_2 = memref.dim %arg1, %c2 : memref<?x?x?xf32>
    %0 = affine.apply #map()[%dim]
    %1 = affine.apply #map()[%dim_0]
    %2 = affine.apply #map1(%0)[%1]
    %3 = affine.apply #map()[%dim_2]
    %4 = affine.apply #map1(%2)[%3]
    %5 = affine.apply #map()[%dim_1]
    %6 = affine.apply #map1(%4)[%5]
    affine.for %arg3 = 0 to %6 {
      %7 = affine.apply #map2(%arg3)[%5]
      %8 = affine.apply #map3(%arg3)[%5]
      %9 = affine.apply #map2(%8)[%3]
      %10 = affine.apply #map3(%8)[%3]
      %11 = affine.apply #map2(%10)[%1]
      %12 = affine.apply #map3(%10)[%1]
      %13 = affine.load %arg0[%12, %11, %7] : memref<?x?x?xf32>
      %14 = affine.load %arg1[%12, %7, %9] : memref<?x?x?xf32>
      %15 = affine.load %arg2[%12, %11, %9] : memref<?x?x?xf32>
      %16 = arith.mulf %13, %14 : f32
      %17 = arith.addf %15, %16 : f32
      affine.store %17, %arg2[%12, %11, %9] : memref<?x?x?xf32>
    }
    return
  }
}

