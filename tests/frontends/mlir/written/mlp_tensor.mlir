#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @f(%X: tensor<?x6xf32>, %W: tensor<6x8xf32>, %b: tensor<8xf32>, %V: tensor<8x3xf32>) -> tensor<?x3xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %X, %c0 : tensor<?x6xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty(%m) : tensor<?x8xf32>
  %h0 = linalg.fill ins(%z : f32) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h1 = linalg.matmul ins(%X, %W : tensor<?x6xf32>, tensor<6x8xf32>) outs(%h0 : tensor<?x8xf32>) -> tensor<?x8xf32>
  %h2 = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%h1, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%e : tensor<?x8xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    %t = arith.maximumf %s, %z : f32
    linalg.yield %t : f32
  } -> tensor<?x8xf32>
  %e2 = tensor.empty(%m) : tensor<?x3xf32>
  %o0 = linalg.fill ins(%z : f32) outs(%e2 : tensor<?x3xf32>) -> tensor<?x3xf32>
  %o1 = linalg.matmul ins(%h2, %V : tensor<?x8xf32>, tensor<8x3xf32>) outs(%o0 : tensor<?x3xf32>) -> tensor<?x3xf32>
  return %o1 : tensor<?x3xf32>
}
