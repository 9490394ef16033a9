"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf64>, index, memref<4xf64>, memref<2xi64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?xf64>, %arg1: index, %arg2: memref<4xf64>, %arg3: memref<2xi64>):
    %0 = "arith.constant"() <{value = 27 : i64}> : () -> i64
    %1 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %2 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %3 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %4 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %5 = "arith.constant"() <{value = 0 : index}> : () -> index
    %6 = "arith.constant"() <{value = 1 : index}> : () -> index
    %7 = "arith.constant"() <{value = 2 : index}> : () -> index
    %8 = "arith.constant"() <{value = 3 : index}> : () -> index
    %9 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64
    %10:2 = "scf.for"(%5, %arg1, %7, %9, %5) ({
    ^bb0(%arg12: index, %arg13: f64, %arg14: index):
      %26 = "memref.load"(%arg0, %arg12) : (memref<?xf64>, index) -> f64
      %27 = "arith.cmpf"(%26, %9) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f64, f64) -> i1
      %28 = "scf.if"(%27) ({
        %30 = "arith.addf"(%arg13, %26) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "scf.yield"(%30) : (f64) -> ()
      }, {
        "scf.yield"(%arg13) : (f64) -> ()
      }) : (i1) -> f64
      %29 = "arith.addi"(%arg14, %6) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      "scf.yield"(%28, %29) : (f64, index) -> ()
    }) : (index, index, index, f64, index) -> (f64, index)
    "memref.store"(%10#0, %arg2, %5) : (f64, memref<4xf64>, index) -> ()
    %11 = "arith.index_cast"(%10#1) : (index) -> i64
    "memref.store"(%11, %arg3, %5) : (i64, memref<2xi64>, index) -> ()
    %12:2 = "scf.while"(%0, %1) ({
    ^bb0(%arg10: i64, %arg11: i64):
      %25 = "arith.cmpi"(%arg10, %4) <{predicate = 1 : i64}> : (i64, i64) -> i1
      "scf.condition"(%25, %arg10, %arg11) : (i1, i64, i64) -> ()
    }, {
    ^bb0(%arg8: i64, %arg9: i64):
      %18 = "arith.remui"(%arg8, %3) : (i64, i64) -> i64
      %19 = "arith.cmpi"(%18, %4) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %20 = "scf.if"(%19) ({
        %23 = "arith.muli"(%arg8, %2) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
        %24 = "arith.addi"(%23, %4) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
        "scf.yield"(%24) : (i64) -> ()
      }, {
        %22 = "arith.divui"(%arg8, %3) : (i64, i64) -> i64
        "scf.yield"(%22) : (i64) -> ()
      }) : (i1) -> i64
      %21 = "arith.addi"(%arg9, %4) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
      "scf.yield"(%20, %21) : (i64, i64) -> ()
    }) : (i64, i64) -> (i64, i64)
    "memref.store"(%12#1, %arg3, %6) : (i64, memref<2xi64>, index) -> ()
    %13 = "scf.parallel"(%5, %arg1, %6, %9) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
    ^bb0(%arg5: index):
      %16 = "memref.load"(%arg0, %arg5) : (memref<?xf64>, index) -> f64
      "scf.reduce"(%16) ({
      ^bb0(%arg6: f64, %arg7: f64):
        %17 = "arith.addf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "scf.reduce.return"(%17) : (f64) -> ()
      }) : (f64) -> ()
    }) : (index, index, index, f64) -> f64
    "memref.store"(%13, %arg2, %6) : (f64, memref<4xf64>, index) -> ()
    "scf.parallel"(%7, %8, %6) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg4: index):
      %15 = "memref.load"(%arg0, %arg4) : (memref<?xf64>, index) -> f64
      "memref.store"(%15, %arg2, %arg4) : (f64, memref<4xf64>, index) -> ()
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()
    %14 = "arith.cmpi"(%arg1, %8) <{predicate = 4 : i64}> : (index, index) -> i1
    "scf.if"(%14) ({
      "memref.store"(%9, %arg2, %8) : (f64, memref<4xf64>, index) -> ()
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

