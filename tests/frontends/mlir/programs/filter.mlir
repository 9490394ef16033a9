// A filter: maps with sums of loops.
#in = affine_map<(i, k) -> (i + k)>
#w = affine_map<(i, k) -> (k)>
#out = affine_map<(i, k) -> (i)>
func.func @f(%X: memref<20xf64>, %W: memref<5xf64>, %Y: memref<16xf64>) {
  linalg.generic {indexing_maps = [#in, #w, #out], iterator_types = ["parallel", "reduction"]}
      ins(%X, %W : memref<20xf64>, memref<5xf64>) outs(%Y : memref<16xf64>) {
    ^bb0(%x: f64, %w: f64, %y: f64):
      %p = arith.mulf %x, %w : f64
      %s = arith.addf %y, %p : f64
      linalg.yield %s : f64
  }
  return
}
