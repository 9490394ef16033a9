func.func @f(%x: tensor<2x3x8xf32>, %w: tensor<8x6xf32>, %o: tensor<?x?xf32>, %n: index, %y: memref<4x12xi32>, %z: memref<?x6xi32>, %s: tensor<f32>) -> (tensor<2x2x3x3xf32>, tensor<?xf32>, tensor<?x2x?xf32>, tensor<1x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %bias = arith.constant dense<[1.0, -2.0, 3.0, 0.5, 0.25, 8.0]> : tensor<6xf32>
  %sign = arith.constant dense<[true, false, true, true, false, false]> : tensor<6xi1>
  %rows = tensor.collapse_shape %x [[0, 1], [2]] : tensor<2x3x8xf32> into tensor<6x8xf32>
  %e = tensor.empty() : tensor<6x6xf32>
  %wide = linalg.generic {indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%bias, %sign : tensor<6xf32>, tensor<6xi1>) outs(%e : tensor<6x6xf32>) {
  ^bb0(%b: f32, %p: i1, %was: f32):
    %v = arith.select %p, %b, %zero : f32
    linalg.yield %v : f32
  } -> tensor<6x6xf32>
  %product = linalg.matmul ins(%rows, %w : tensor<6x8xf32>, tensor<8x6xf32>) outs(%wide : tensor<6x6xf32>) -> tensor<6x6xf32>
  %heads = tensor.expand_shape %product [[0, 1], [2, 3]] output_shape [2, 3, 2, 3] : tensor<6x6xf32> into tensor<2x3x2x3xf32>
  %eh = tensor.empty() : tensor<2x2x3x3xf32>
  %turned = linalg.transpose ins(%heads : tensor<2x3x2x3xf32>) outs(%eh : tensor<2x2x3x3xf32>) permutation = [0, 2, 1, 3]
  %flat = tensor.collapse_shape %o [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %m = tensor.dim %o, %c0 : tensor<?x?xf32>
  %half = arith.divsi %m, %c2 : index
  %k = tensor.dim %o, %c1 : tensor<?x?xf32>
  %split = tensor.expand_shape %o [[0, 1], [2]] output_shape [%half, 2, %k] : tensor<?x?xf32> into tensor<?x2x?xf32>
  %one = tensor.expand_shape %s [] output_shape [1, 1] : tensor<f32> into tensor<1x1xf32>
  %parts = memref.expand_shape %y [[0], [1, 2]] output_shape [4, 2, 6] : memref<4x12xi32> into memref<4x2x6xi32>
  %long = memref.collapse_shape %parts [[0, 1], [2]] : memref<4x2x6xi32> into memref<8x6xi32>
  %open = memref.expand_shape %z [[0, 1], [2]] output_shape [%n, 2, 6] : memref<?x6xi32> into memref<?x2x6xi32>
  %joined = memref.collapse_shape %open [[0, 1, 2]] : memref<?x2x6xi32> into memref<?xi32>
  %first = memref.collapse_shape %long [[0, 1]] : memref<8x6xi32> into memref<48xi32>
  affine.for %i = 0 to 48 {
    %a = affine.load %first[%i] : memref<48xi32>
    affine.store %a, %joined[%i] : memref<?xi32>
  }
  return %turned, %flat, %split, %one : tensor<2x2x3x3xf32>, tensor<?xf32>, tensor<?x2x?xf32>, tensor<1x1xf32>
}
