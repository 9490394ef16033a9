#map0 = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func @f(%arg0: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = tensor.dim %arg0, %c0 : tensor<?x?xf32>
    %1 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
    %cst = arith.constant 0xFF800000 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %2 = linalg.init_tensor [%0] : tensor<?xf32>
    %3 = linalg.fill(%cst, %2) : f32, tensor<?xf32> -> tensor<?xf32> 
    %4 = linalg.generic {indexing_maps = [#map0, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<?x?xf32>) outs(%3 : tensor<?xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %12 = arith.maxf %arg1, %arg2 : f32
      linalg.yield %12 : f32
    } -> tensor<?xf32>
    %5 = linalg.init_tensor [%0, %1] : tensor<?x?xf32>
    %6 = linalg.generic {indexing_maps = [#map0, #map1, #map0], iterator_types = ["parallel", "parallel"]} ins(%arg0, %4 : tensor<?x?xf32>, tensor<?xf32>) outs(%5 : tensor<?x?xf32>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %12 = arith.subf %arg1, %arg2 : f32
      %13 = math.exp %12 : f32
      linalg.yield %13 : f32
    } -> tensor<?x?xf32>
    %7 = linalg.init_tensor [%0] : tensor<?xf32>
    %8 = linalg.fill(%cst_0, %7) : f32, tensor<?xf32> -> tensor<?xf32> 
    %9 = linalg.generic {indexing_maps = [#map0, #map1], iterator_types = ["parallel", "reduction"]} ins(%6 : tensor<?x?xf32>) outs(%8 : tensor<?xf32>) {
    ^bb0(%arg1: f32, %arg2: f32):
      %12 = arith.addf %arg1, %arg2 : f32
      linalg.yield %12 : f32
    } -> tensor<?xf32>
    %10 = linalg.init_tensor [%0, %1] : tensor<?x?xf32>
    %11 = linalg.generic {indexing_maps = [#map0, #map1, #map0], iterator_types = ["parallel", "parallel"]} ins(%6, %9 : tensor<?x?xf32>, tensor<?xf32>) outs(%10 : tensor<?x?xf32>) {
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %12 = arith.divf %arg1, %arg2 : f32
      linalg.yield %12 : f32
    } -> tensor<?x?xf32>
    return %11 : tensor<?x?xf32>
  }
}

