module {
  func.func @f(%arg0: tensor<9x10xf32>, %arg1: tensor<9x10xf32>) -> tensor<9x10xf32> {
    %extracted_slice = tensor.extract_slice %arg0[0, 1] [5, 3] [2, 3] : tensor<9x10xf32> to tensor<5x3xf32>
    %inserted_slice = tensor.insert_slice %extracted_slice into %arg1[0, 0] [5, 3] [2, 2] : tensor<5x3xf32> into tensor<9x10xf32>
    return %inserted_slice : tensor<9x10xf32>
  }
}

