#map0 = affine_map<(d0) -> (d0)>
#map1 = affine_map<() -> (0)>
#map2 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: i1):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = true} : () -> i1
    %2 = "memref.dim"(%arg0, %0) : (memref<?xi32>, index) -> index
    %3 = "arith.constant"() {value = 0 : i32} : () -> i32
    %4 = "arith.constant"() {value = 5 : i32} : () -> i32
    %5 = "arith.xori"(%arg2, %1) : (i1, i1) -> i1
    "affine.for"(%2) ({
    ^bb0(%arg3: index):
      %6 = "affine.load"(%arg0, %arg3) {map = #map0} : (memref<?xi32>, index) -> i32
      %7 = "arith.cmpi"(%6, %3) {predicate = 4 : i64} : (i32, i32) -> i1
      %8 = "arith.cmpi"(%6, %4) {predicate = 2 : i64} : (i32, i32) -> i1
      %9 = "arith.andi"(%7, %8) : (i1, i1) -> i1
      %10 = "arith.ori"(%9, %5) : (i1, i1) -> i1
      %11 = "std.select"(%10, %6, %3) : (i1, i32, i32) -> i32
      %12 = "arith.extui"(%10) : (i1) -> i32
      %13 = "arith.addi"(%11, %12) : (i32, i32) -> i32
      "affine.store"(%13, %arg1, %arg3) {map = #map0} : (i32, memref<?xi32>, index) -> ()
      "affine.yield"() : () -> ()
    }) {lower_bound = #map1, step = 1 : index, upper_bound = #map2} : (index) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?xi32>, memref<?xi32>, i1) -> ()} : () -> ()
}) : () -> ()

