#q = affine_map<(b, h, m, n, d) -> (b, h, m, d)>
#k = affine_map<(b, h, m, n, d) -> (b, h, n, d)>
#s = affine_map<(b, h, m, n, d) -> (b, h, m, n)>
#p = affine_map<(b, h, m, d, n) -> (b, h, m, n)>
#v = affine_map<(b, h, m, d, n) -> (b, h, n, d)>
#o = affine_map<(b, h, m, d, n) -> (b, h, m, d)>
func.func @f(%Q: tensor<2x3x5x4xf32>, %K: tensor<2x3x6x4xf32>, %V: tensor<2x3x6x4xf32>) -> tensor<2x3x5x4xf32> {
  %zero = arith.constant 0.0 : f32
  %ninf = arith.constant 0xFF800000 : f32
  %es = tensor.empty() : tensor<2x3x5x6xf32>
  %zs = linalg.fill ins(%zero : f32) outs(%es : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %S = linalg.contract indexing_maps = [#q, #k, #s] ins(%Q, %K : tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>) outs(%zs : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %er = tensor.empty() : tensor<2x3x5xf32>
  %ir = linalg.fill ins(%ninf : f32) outs(%er : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %mx = linalg.reduce { arith.maximumf } ins(%S : tensor<2x3x5x6xf32>) outs(%ir : tensor<2x3x5xf32>) dimensions = [3]
  %P = linalg.elementwise kind=#linalg.elementwise_kind<sub> indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>] ins(%S, %mx : tensor<2x3x5x6xf32>, tensor<2x3x5xf32>) outs(%es : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %E = linalg.elementwise kind=#linalg.elementwise_kind<exp> ins(%P : tensor<2x3x5x6xf32>) outs(%es : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %zr = linalg.fill ins(%zero : f32) outs(%er : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %sum = linalg.reduce { arith.addf } ins(%E : tensor<2x3x5x6xf32>) outs(%zr : tensor<2x3x5xf32>) dimensions = [3]
  %D = linalg.elementwise kind=#linalg.elementwise_kind<div> indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c)>, affine_map<(a, b, c, d) -> (a, b, c, d)>] ins(%E, %sum : tensor<2x3x5x6xf32>, tensor<2x3x5xf32>) outs(%es : tensor<2x3x5x6xf32>) -> tensor<2x3x5x6xf32>
  %eo = tensor.empty() : tensor<2x3x5x4xf32>
  %zo = linalg.fill ins(%zero : f32) outs(%eo : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  %O = linalg.contract indexing_maps = [#p, #v, #o] ins(%D, %V : tensor<2x3x5x6xf32>, tensor<2x3x6x4xf32>) outs(%zo : tensor<2x3x5x4xf32>) -> tensor<2x3x5x4xf32>
  return %O : tensor<2x3x5x4xf32>
}
