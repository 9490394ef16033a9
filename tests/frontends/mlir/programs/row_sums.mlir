// Sums and maxima of rows at once, and positions: two outputs, linalg.index.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @f(%X: memref<9x11xf32>, %S: memref<9xf32>, %M: memref<9xf32>, %P: memref<9x11xi64>) {
  linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%X : memref<9x11xf32>) outs(%S, %M : memref<9xf32>, memref<9xf32>) {
    ^bb0(%x: f32, %s: f32, %m: f32):
      %t = arith.addf %s, %x : f32
      %n = arith.maximumf %m, %x : f32
      linalg.yield %t, %n : f32, f32
  }
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%P : memref<9x11xi64>) {
    ^bb0(%p: i64):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = arith.constant 100 : index
      %q = arith.muli %i, %c : index
      %r = arith.addi %q, %j : index
      %z = arith.index_cast %r : index to i64
      linalg.yield %z : i64
  }
  return
}
