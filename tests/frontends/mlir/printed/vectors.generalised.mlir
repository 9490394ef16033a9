#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d1, d0)>
#map4 = affine_map<(d0) -> (d0)>
#map5 = affine_map<(d0) -> ()>
module {
  func.func @f(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>) {
    linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 : memref<8x13xf64>, memref<13xf64>) outs(%arg2 : memref<8xf64>) {
    ^bb0(%in: f64, %in_0: f64, %out: f64):
      %0 = arith.mulf %in, %in_0 : f64
      %1 = arith.addf %out, %0 : f64
      linalg.yield %1 : f64
    }
    linalg.generic {indexing_maps = [#map1, #map3, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg2, %arg0 : memref<8xf64>, memref<8x13xf64>) outs(%arg3 : memref<13xf64>) {
    ^bb0(%in: f64, %in_0: f64, %out: f64):
      %0 = arith.mulf %in, %in_0 : f64
      %1 = arith.addf %out, %0 : f64
      linalg.yield %1 : f64
    }
    linalg.generic {indexing_maps = [#map4, #map4, #map5], iterator_types = ["reduction"]} ins(%arg1, %arg3 : memref<13xf64>, memref<13xf64>) outs(%arg4 : memref<f64>) {
    ^bb0(%in: f64, %in_0: f64, %out: f64):
      %0 = arith.mulf %in, %in_0 : f64
      %1 = arith.addf %out, %0 : f64
      linalg.yield %1 : f64
    }
    return
  }
}

