#map0 = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
module {
  func @f(%arg0: tensor<?x6xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x3xf32>) -> tensor<?x3xf32> {
    %c0 = arith.constant 0 : index
    %0 = tensor.dim %arg0, %c0 : tensor<?x6xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %1 = linalg.init_tensor [%0, 8] : tensor<?x8xf32>
    %2 = linalg.fill(%cst, %1) : f32, tensor<?x8xf32> -> tensor<?x8xf32> 
    %3 = linalg.matmul ins(%arg0, %arg1 : tensor<?x6xf32>, tensor<6x8xf32>) outs(%2 : tensor<?x8xf32>) -> tensor<?x8xf32>
    %4 = linalg.generic {indexing_maps = [#map0, #map1, #map0], iterator_types = ["parallel", "parallel"]} ins(%3, %arg2 : tensor<?x8xf32>, tensor<8xf32>) outs(%1 : tensor<?x8xf32>) {
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %8 = arith.addf %arg4, %arg5 : f32
      %9 = arith.maxf %8, %cst : f32
      linalg.yield %9 : f32
    } -> tensor<?x8xf32>
    %5 = linalg.init_tensor [%0, 3] : tensor<?x3xf32>
    %6 = linalg.fill(%cst, %5) : f32, tensor<?x3xf32> -> tensor<?x3xf32> 
    %7 = linalg.matmul ins(%4, %arg3 : tensor<?x8xf32>, tensor<8x3xf32>) outs(%6 : tensor<?x3xf32>) -> tensor<?x3xf32>
    return %7 : tensor<?x3xf32>
  }
}

