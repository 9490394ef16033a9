// Y = relu(X W + b), the bias a row.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @f(%X: memref<10x12xf32>, %W: memref<12x14xf32>, %b: memref<14xf32>, %Y: memref<10x14xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%Y : memref<10x14xf32>)
  linalg.matmul ins(%X, %W : memref<10x12xf32>, memref<12x14xf32>) outs(%Y : memref<10x14xf32>)
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<14xf32>) outs(%Y : memref<10x14xf32>) {
    ^bb0(%c: f32, %y: f32):
      %s = arith.addf %y, %c : f32
      %m = arith.maximumf %s, %zero : f32
      linalg.yield %m : f32
  }
  return
}
