// Y = s * gelu(X), by tanh, of any size.
#id = affine_map<(i, j) -> (i, j)>
#none = affine_map<(i, j) -> ()>
func.func @f(%s: f32, %X: memref<?x?xf32>, %Y: memref<?x?xf32>) {
  %half = arith.constant 0.5 : f32
  %one = arith.constant 1.0 : f32
  %a = arith.constant 0.797884583 : f32
  %b = arith.constant 0.0447149985 : f32
  linalg.generic {indexing_maps = [#none, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%s, %X : f32, memref<?x?xf32>) outs(%Y : memref<?x?xf32>) {
    ^bb0(%scale: f32, %x: f32, %y: f32):
      %2 = arith.mulf %x, %x : f32
      %3 = arith.mulf %2, %x : f32
      %4 = math.fma %b, %3, %x : f32
      %5 = arith.mulf %a, %4 : f32
      %6 = math.tanh %5 fastmath<contract> : f32
      %7 = arith.addf %one, %6 : f32
      %8 = arith.mulf %half, %x : f32
      %9 = arith.mulf %8, %7 : f32
      %z = arith.mulf %scale, %9 : f32
      linalg.yield %z : f32
  }
  return
}
