#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @f(%arg0: tensor<2x3x8xf32>, %arg1: tensor<8x6xf32>, %arg2: tensor<?x?xf32>, %arg3: index, %arg4: memref<4x12xi32>, %arg5: memref<?x6xi32>, %arg6: tensor<f32>) -> (tensor<2x2x3x3xf32>, tensor<?xf32>, tensor<?x2x?xf32>, tensor<1x1xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant dense<[1.000000e+00, -2.000000e+00, 3.000000e+00, 5.000000e-01, 2.500000e-01, 8.000000e+00]> : tensor<6xf32>
    %cst_1 = arith.constant dense<[true, false, true, true, false, false]> : tensor<6xi1>
    %collapsed = tensor.collapse_shape %arg0 [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
    %0 = tensor.empty() : tensor<6x6xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map1], iterator_types = ["parallel", "parallel"]} ins(%cst_0, %cst_1 : tensor<6xf32>, tensor<6xi1>) outs(%0 : tensor<6x6xf32>) {
    ^bb0(%in: f32, %in_9: i1, %out: f32):
      %5 = arith.select %in_9, %in, %cst : f32
      linalg.yield %5 : f32
    } -> tensor<6x6xf32>
    %2 = linalg.matmul ins(%collapsed, %arg1 : tensor<6x8xf32>, tensor<8x6xf32>) outs(%1 : tensor<6x6xf32>) -> tensor<6x6xf32>
    %expanded = tensor.expand_shape %2 [[0, 1], [2, 3]] : tensor<6x6xf32> into tensor<2x3x2x3xf32>
    %3 = tensor.empty() : tensor<2x2x3x3xf32>
    %transposed = linalg.transpose ins(%expanded : tensor<2x3x2x3xf32>) outs(%3 : tensor<2x2x3x3xf32>) permutation = [0, 2, 1, 3] 
    %collapsed_2 = tensor.collapse_shape %arg2 [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
    %dim = tensor.dim %arg2, %c0 : tensor<?x?xf32>
    %4 = arith.divsi %dim, %c2 : index
    %dim_3 = tensor.dim %arg2, %c1 : tensor<?x?xf32>
    %expanded_4 = tensor.expand_shape %arg2 [[0, 1], [2]] : tensor<?x?xf32> into tensor<?x2x?xf32>
    %expanded_5 = tensor.expand_shape %arg6 [] : tensor<f32> into tensor<1x1xf32>
    %expand_shape = memref.expand_shape %arg4 [[0], [1, 2]] : memref<4x12xi32> into memref<4x2x6xi32>
    %collapse_shape = memref.collapse_shape %expand_shape [[0, 1], [2]] : memref<4x2x6xi32> into memref<8x6xi32>
    %expand_shape_6 = memref.expand_shape %arg5 [[0, 1], [2]] : memref<?x6xi32> into memref<?x2x6xi32>
    %collapse_shape_7 = memref.collapse_shape %expand_shape_6 [[0, 1, 2]] : memref<?x2x6xi32> into memref<?xi32>
    %collapse_shape_8 = memref.collapse_shape %collapse_shape [[0, 1]] : memref<8x6xi32> into memref<48xi32>
    affine.for %arg7 = 0 to 48 {
      %5 = affine.load %collapse_shape_8[%arg7] : memref<48xi32>
      affine.store %5, %collapse_shape_7[%arg7] : memref<?xi32>
    }
    return %transposed, %collapsed_2, %expanded_4, %expanded_5 : tensor<2x2x3x3xf32>, tensor<?xf32>, tensor<?x2x?xf32>, tensor<1x1xf32>
  }
}
