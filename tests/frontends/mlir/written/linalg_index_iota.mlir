#id = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%Y: memref<?x?xi64>) {
  linalg.generic {indexing_maps = [#id], iterator_types = ["parallel", "parallel"]} outs(%Y : memref<?x?xi64>) {
  ^bb0(%y: i64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = arith.muli %i, %j : index
    %w = arith.index_castui %k : index to i64
    %p = arith.cmpi ugt, %w, %y : i64
    %s = arith.select %p, %w, %y : i64
    linalg.yield %s : i64
  }
  return
}
