#map = affine_map<(d0, d1) -> ()>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @f(%arg0: f32, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>) {
    %cst = arith.constant 5.000000e-01 : f32
    %cst_0 = arith.constant 1.000000e+00 : f32
    %cst_1 = arith.constant 0.797884583 : f32
    %cst_2 = arith.constant 4.471500e-02 : f32
    linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : f32, memref<?x?xf32>) outs(%arg2 : memref<?x?xf32>) {
    ^bb0(%in: f32, %in_3: f32, %out: f32):
      %0 = arith.mulf %in_3, %in_3 : f32
      %1 = arith.mulf %0, %in_3 : f32
      %2 = math.fma %cst_2, %1, %in_3 : f32
      %3 = arith.mulf %cst_1, %2 : f32
      %4 = math.tanh %3 fastmath<contract> : f32
      %5 = arith.addf %cst_0, %4 : f32
      %6 = arith.mulf %cst, %in_3 : f32
      %7 = arith.mulf %6, %5 : f32
      %8 = arith.mulf %in, %7 : f32
      linalg.yield %8 : f32
    }
    return
  }
}

