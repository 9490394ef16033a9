func.func @f(%X: tensor<?x16xf32>, %gamma: tensor<16xf32>, %beta: tensor<16xf32>) -> tensor<?x16xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %X, %c0 : tensor<?x16xf32>
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %e1 = tensor.empty(%m) : tensor<?x16xf32>
  %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce { arith.addf } ins(%X : tensor<?x16xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  %mean = linalg.map ins(%sum : tensor<?xf32>) outs(%e0 : tensor<?xf32>)
    (%x: f32) {
      %q = arith.divf %x, %n : f32
      linalg.yield %q : f32
    }
  %wide = linalg.broadcast ins(%mean : tensor<?xf32>) outs(%e1 : tensor<?x16xf32>) dimensions = [1]
  %d = linalg.sub ins(%X, %wide : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %sq = linalg.square ins(%d : tensor<?x16xf32>) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %var = linalg.reduce { arith.addf } ins(%sq : tensor<?x16xf32>) outs(%z : tensor<?xf32>) dimensions = [1]
  %inv = linalg.map ins(%var : tensor<?xf32>) outs(%e0 : tensor<?xf32>)
    (%x: f32) {
      %q = arith.divf %x, %n : f32
      %s = arith.addf %q, %eps : f32
      %r = math.rsqrt %s : f32
      linalg.yield %r : f32
    }
  %winv = linalg.broadcast ins(%inv : tensor<?xf32>) outs(%e1 : tensor<?x16xf32>) dimensions = [1]
  %normed = linalg.mul ins(%d, %winv : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %g = linalg.broadcast ins(%gamma : tensor<16xf32>) outs(%e1 : tensor<?x16xf32>) dimensions = [0]
  %b = linalg.broadcast ins(%beta : tensor<16xf32>) outs(%e1 : tensor<?x16xf32>) dimensions = [0]
  %scaled = linalg.mul ins(%normed, %g : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  %r = linalg.add ins(%scaled, %b : tensor<?x16xf32>, tensor<?x16xf32>) outs(%e1 : tensor<?x16xf32>) -> tensor<?x16xf32>
  return %r : tensor<?x16xf32>
}
