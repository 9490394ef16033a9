#m0 = affine_map<(d0, d1) -> (d0, 0)>
#m1 = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%X: memref<6x1xf32>, %Y: memref<6x9xf32>) {
  linalg.generic {indexing_maps = [#m0, #m1], iterator_types = ["parallel", "parallel"]}
    ins(%X : memref<6x1xf32>) outs(%Y : memref<6x9xf32>) {
  ^bb0(%x: f32, %y: f32):
    %s = arith.divf %y, %x : f32
    linalg.yield %s : f32
  }
  return
}
