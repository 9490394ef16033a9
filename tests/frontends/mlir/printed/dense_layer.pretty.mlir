#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @f(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    linalg.fill ins(%cst : f32) outs(%arg3 : memref<10x14xf32>)
    linalg.matmul ins(%arg0, %arg1 : memref<10x12xf32>, memref<12x14xf32>) outs(%arg3 : memref<10x14xf32>)
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : memref<14xf32>) outs(%arg3 : memref<10x14xf32>) {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      %1 = arith.maximumf %0, %cst : f32
      linalg.yield %1 : f32
    }
    return
  }
}

