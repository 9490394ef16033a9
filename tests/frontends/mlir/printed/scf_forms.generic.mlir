"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf64>, index, memref<4xf64>, memref<2xi64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?xf64>, %arg1: index, %arg2: memref<4xf64>, %arg3: memref<2xi64>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 2 : index}> : () -> index
    %3 = "arith.constant"() <{value = 3 : index}> : () -> index
    %4 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64
    %5:2 = "scf.for"(%0, %arg1, %2, %4, %0) ({
    ^bb0(%arg12: index, %arg13: f64, %arg14: index):
      %26 = "memref.load"(%arg0, %arg12) : (memref<?xf64>, index) -> f64
      %27 = "arith.cmpf"(%26, %4) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f64, f64) -> i1
      %28 = "scf.if"(%27) ({
        %30 = "arith.addf"(%arg13, %26) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "scf.yield"(%30) : (f64) -> ()
      }, {
        "scf.yield"(%arg13) : (f64) -> ()
      }) : (i1) -> f64
      %29 = "arith.addi"(%arg14, %1) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      "scf.yield"(%28, %29) : (f64, index) -> ()
    }) : (index, index, index, f64, index) -> (f64, index)
    "memref.store"(%5#0, %arg2, %0) : (f64, memref<4xf64>, index) -> ()
    %6 = "arith.index_cast"(%5#1) : (index) -> i64
    "memref.store"(%6, %arg3, %0) : (i64, memref<2xi64>, index) -> ()
    %7 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %8 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %9 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %10 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %11 = "arith.constant"() <{value = 27 : i64}> : () -> i64
    %12:2 = "scf.while"(%11, %10) ({
    ^bb0(%arg10: i64, %arg11: i64):
      %25 = "arith.cmpi"(%arg10, %7) <{predicate = 1 : i64}> : (i64, i64) -> i1
      "scf.condition"(%25, %arg10, %arg11) : (i1, i64, i64) -> ()
    }, {
    ^bb0(%arg8: i64, %arg9: i64):
      %18 = "arith.remui"(%arg8, %8) : (i64, i64) -> i64
      %19 = "arith.cmpi"(%18, %7) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %20 = "scf.if"(%19) ({
        %23 = "arith.muli"(%arg8, %9) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
        %24 = "arith.addi"(%23, %7) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
        "scf.yield"(%24) : (i64) -> ()
      }, {
        %22 = "arith.divui"(%arg8, %8) : (i64, i64) -> i64
        "scf.yield"(%22) : (i64) -> ()
      }) : (i1) -> i64
      %21 = "arith.addi"(%arg9, %7) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
      "scf.yield"(%20, %21) : (i64, i64) -> ()
    }) : (i64, i64) -> (i64, i64)
    "memref.store"(%12#1, %arg3, %1) : (i64, memref<2xi64>, index) -> ()
    %13 = "scf.parallel"(%0, %arg1, %1, %4) <{operandSegmentSizes = array<i32: 1, 1, 1, 1>}> ({
    ^bb0(%arg5: index):
      %16 = "memref.load"(%arg0, %arg5) : (memref<?xf64>, index) -> f64
      "scf.reduce"(%16) ({
      ^bb0(%arg6: f64, %arg7: f64):
        %17 = "arith.addf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "scf.reduce.return"(%17) : (f64) -> ()
      }) : (f64) -> ()
    }) : (index, index, index, f64) -> f64
    "memref.store"(%13, %arg2, %1) : (f64, memref<4xf64>, index) -> ()
    "scf.parallel"(%2, %3, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0>}> ({
    ^bb0(%arg4: index):
      %15 = "memref.load"(%arg0, %arg4) : (memref<?xf64>, index) -> f64
      "memref.store"(%15, %arg2, %arg4) : (f64, memref<4xf64>, index) -> ()
      "scf.reduce"() : () -> ()
    }) : (index, index, index) -> ()
    %14 = "arith.cmpi"(%arg1, %3) <{predicate = 4 : i64}> : (index, index) -> i1
    "scf.if"(%14) ({
      "memref.store"(%4, %arg2, %3) : (f64, memref<4xf64>, index) -> ()
      "scf.yield"() : () -> ()
    }, {
    }) : (i1) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

