func.func @f(%X: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %X, %c0 : tensor<?x?xf32>
  %n = tensor.dim %X, %c1 : tensor<?x?xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %i0 = linalg.fill ins(%ninf : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %largest = linalg.reduce ins(%X : tensor<?x?xf32>) outs(%i0 : tensor<?xf32>) dimensions = [1]
    (%x: f32, %a: f32) {
      %k = arith.maximumf %x, %a : f32
      linalg.yield %k : f32
    }
  %e1 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %wide = linalg.broadcast ins(%largest : tensor<?xf32>) outs(%e1 : tensor<?x?xf32>) dimensions = [1]
  %d = linalg.map { arith.subf } ins(%X, %wide : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e1 : tensor<?x?xf32>)
  %p = linalg.map { math.exp } ins(%d : tensor<?x?xf32>) outs(%e1 : tensor<?x?xf32>)
  %i1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %s = linalg.reduce { arith.addf } ins(%p : tensor<?x?xf32>) outs(%i1 : tensor<?xf32>) dimensions = [1]
  %ws = linalg.broadcast ins(%s : tensor<?xf32>) outs(%e1 : tensor<?x?xf32>) dimensions = [1]
  %r = linalg.map { arith.divf } ins(%p, %ws : tensor<?x?xf32>, tensor<?x?xf32>) outs(%e1 : tensor<?x?xf32>)
  return %r : tensor<?x?xf32>
}
