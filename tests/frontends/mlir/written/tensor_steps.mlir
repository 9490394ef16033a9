func.func @f(%X: tensor<9x10xf32>, %Y: tensor<9x10xf32>) -> tensor<9x10xf32> {
  %a = tensor.extract_slice %X[0, 1] [5, 3] [2, 3] : tensor<9x10xf32> to tensor<5x3xf32>
  %b = tensor.insert_slice %a into %Y[0, 0] [5, 3] [2, 2] : tensor<5x3xf32> into tensor<9x10xf32>
  return %b : tensor<9x10xf32>
}
