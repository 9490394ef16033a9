func.func @f(%X: tensor<5x6xf32>, %W: tensor<8x6xf32>, %b: tensor<8xf32>, %V: tensor<3x8xf32>) -> tensor<5x3xf32> {
  %zero = arith.constant 0.0 : f32
  %ew = tensor.empty() : tensor<6x8xf32>
  %Wt = linalg.transpose ins(%W : tensor<8x6xf32>) outs(%ew : tensor<6x8xf32>) permutation = [1, 0]
  %eh = tensor.empty() : tensor<5x8xf32>
  %bias = linalg.broadcast ins(%b : tensor<8xf32>) outs(%eh : tensor<5x8xf32>) dimensions = [0]
  %h = linalg.matmul ins(%X, %Wt : tensor<5x6xf32>, tensor<6x8xf32>) outs(%bias : tensor<5x8xf32>) -> tensor<5x8xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%eh : tensor<5x8xf32>) -> tensor<5x8xf32>
  %relu = linalg.max ins(%h, %zs : tensor<5x8xf32>, tensor<5x8xf32>) outs(%eh : tensor<5x8xf32>) -> tensor<5x8xf32>
  %ev = tensor.empty() : tensor<8x3xf32>
  %Vt = linalg.transpose ins(%V : tensor<3x8xf32>) outs(%ev : tensor<8x3xf32>) permutation = [1, 0]
  %ey = tensor.empty() : tensor<5x3xf32>
  %zy = linalg.fill ins(%zero : f32) outs(%ey : tensor<5x3xf32>) -> tensor<5x3xf32>
  %y = linalg.matmul ins(%relu, %Vt : tensor<5x8xf32>, tensor<8x3xf32>) outs(%zy : tensor<5x3xf32>) -> tensor<5x3xf32>
  return %y : tensor<5x3xf32>
}
