#map = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d4)>
#map1 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3)>
#map3 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d4, d3)>
module {
  func.func @f(%arg0: tensor<2x3x5x4xf32>, %arg1: tensor<2x3x6x4xf32>, %arg2: tensor<2x3x6x4xf32>) -> tensor<2x3x5x4xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0 = tensor.empty() : tensor<2x3x5x6xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %2 = linalg.contract indexing_maps = [#map, #map1, #map2] ins(%arg0, %arg1 : tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>) outs(%1 : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %3 = tensor.empty() : tensor<2x3x5xf32>
    %4 = linalg.fill ins(%cst_0 : f32) outs(%3 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    %reduced = linalg.reduce { arith.maximumf } ins(%2 : tensor<2x3x5x6xf32>) outs(%4 : tensor<2x3x5xf32>) dimensions = [3] 
    %5 = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [#map3, #map4, #map3] ins(%2, %reduced : tensor<2x3x5x6xf32>, tensor<2x3x5xf32>) outs(%0 : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %6 = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%5 : tensor<2x3x5x6xf32>) outs(%0 : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %7 = linalg.fill ins(%cst : f32) outs(%3 : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
    %reduced_1 = linalg.reduce { arith.addf } ins(%6 : tensor<2x3x5x6xf32>) outs(%7 : tensor<2x3x5xf32>) dimensions = [3] 
    %8 = linalg.elementwise kind=#linalg.elementwise_kind<div> indexing_maps = [#map3, #map4, #map3] ins(%6, %reduced_1 : tensor<2x3x5x6xf32>, tensor<2x3x5xf32>) outs(%0 : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
    %9 = tensor.empty() : tensor<2x3x5x4xf32>
    %10 = linalg.fill ins(%cst : f32) outs(%9 : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    %11 = linalg.contract indexing_maps = [#map, #map5, #map2] ins(%8, %arg2 : tensor<2x3x5x6xf32>, tensor<2x3x6x4xf32>) outs(%10 : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
    return %11 : tensor<2x3x5x4xf32>
  }
}
