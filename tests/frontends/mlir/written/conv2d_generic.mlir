#x = affine_map<(d0, d1, d2, d3) -> (d0 + d2, d1 + d3)>
#w = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
#y = affine_map<(d0, d1, d2, d3) -> (d0, d1)>
func.func @f(%X: memref<?x?xf32>, %W: memref<3x3xf32>, %Y: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
   ins(%X, %W : memref<?x?xf32>, memref<3x3xf32>) outs(%Y : memref<?x?xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %m = arith.mulf %a, %b : f32
    %s = arith.addf %c, %m : f32
    linalg.yield %s : f32
  }
  return
}
