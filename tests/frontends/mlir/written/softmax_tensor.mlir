#r = affine_map<(d0, d1) -> (d0)>
#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%X: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %X, %c0 : tensor<?x?xf32>
  %n = tensor.dim %X, %c1 : tensor<?x?xf32>
  %ninf = arith.constant 0xFF800000 : f32
  %zero = arith.constant 0.0 : f32
  %e0 = tensor.empty(%m) : tensor<?xf32>
  %i0 = linalg.fill ins(%ninf : f32) outs(%e0 : tensor<?xf32>) -> tensor<?xf32>
  %mx = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%X : tensor<?x?xf32>) outs(%i0 : tensor<?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %k = arith.maximumf %x, %a : f32
    linalg.yield %k : f32
  } -> tensor<?xf32>
  %e1 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %ex = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%X, %mx : tensor<?x?xf32>, tensor<?xf32>) outs(%e1 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32, %o: f32):
    %d = arith.subf %x, %a : f32
    %e = math.exp %d : f32
    linalg.yield %e : f32
  } -> tensor<?x?xf32>
  %e2 = tensor.empty(%m) : tensor<?xf32>
  %i2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]} ins(%ex : tensor<?x?xf32>) outs(%i2 : tensor<?xf32>) {
  ^bb0(%x: f32, %a: f32):
    %k = arith.addf %x, %a : f32
    linalg.yield %k : f32
  } -> tensor<?xf32>
  %e3 = tensor.empty(%m, %n) : tensor<?x?xf32>
  %res = linalg.generic {indexing_maps = [#id, #r, #id], iterator_types = ["parallel", "parallel"]} ins(%ex, %sum : tensor<?x?xf32>, tensor<?xf32>) outs(%e3 : tensor<?x?xf32>) {
  ^bb0(%x: f32, %a: f32, %o: f32):
    %d = arith.divf %x, %a : f32
    linalg.yield %d : f32
  } -> tensor<?x?xf32>
  return %res : tensor<?x?xf32>
}
