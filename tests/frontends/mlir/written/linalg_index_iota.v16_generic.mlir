#map = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<?x?xi64>):
    "linalg.generic"(%arg0) ({
    ^bb0(%arg1: i64):
      %0 = "linalg.index"() {dim = 0 : i64} : () -> index
      %1 = "linalg.index"() {dim = 1 : i64} : () -> index
      %2 = "arith.muli"(%0, %1) : (index, index) -> index
      %3 = "arith.index_castui"(%2) : (index) -> i64
      %4 = "arith.cmpi"(%3, %arg1) {predicate = 8 : i64} : (i64, i64) -> i1
      %5 = "arith.select"(%4, %3, %arg1) : (i1, i64, i64) -> i64
      "linalg.yield"(%5) : (i64) -> ()
    }) {indexing_maps = [#map], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operand_segment_sizes = array<i32: 0, 1>} : (memref<?x?xi64>) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x?xi64>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

