"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?xf64>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = 1 : index} : () -> index
    %2 = "memref.dim"(%arg0, %0) : (memref<?xf64>, index) -> index
    %3 = "arith.constant"() {value = 5.000000e-01 : f64} : () -> f64
    %4 = "arith.constant"() {value = 1.000000e-13 : f64} : () -> f64
    "scf.for"(%0, %2, %1) ({
    ^bb0(%arg1: index):
      %5 = "memref.load"(%arg0, %arg1) : (memref<?xf64>, index) -> f64
      %6 = "scf.while"(%5) ({
      ^bb0(%arg2: f64):
        %7 = "arith.mulf"(%arg2, %arg2) : (f64, f64) -> f64
        %8 = "arith.subf"(%7, %5) : (f64, f64) -> f64
        %9 = "math.abs"(%8) : (f64) -> f64
        %10 = "arith.mulf"(%5, %4) : (f64, f64) -> f64
        %11 = "arith.cmpf"(%9, %10) {predicate = 2 : i64} : (f64, f64) -> i1
        "scf.condition"(%11, %arg2) : (i1, f64) -> ()
      }, {
      ^bb0(%arg2: f64):
        %7 = "arith.divf"(%5, %arg2) : (f64, f64) -> f64
        %8 = "arith.addf"(%arg2, %7) : (f64, f64) -> f64
        %9 = "arith.mulf"(%8, %3) : (f64, f64) -> f64
        "scf.yield"(%9) : (f64) -> ()
      }) : (f64) -> f64
      "memref.store"(%6, %arg0, %arg1) : (f64, memref<?xf64>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?xf64>) -> ()} : () -> ()
}) : () -> ()

