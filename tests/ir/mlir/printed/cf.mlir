"builtin.module"() ({
  "func.func"() <{function_type = (index, f32) -> f32, sym_name = "loop"}> ({
  ^bb0(%arg1: index, %arg2: f32):
    %3 = "arith.constant"() <{value = 0 : index}> : () -> index
    %4 = "arith.constant"() <{value = 1 : index}> : () -> index
    "cf.br"(%3, %arg2)[^bb1] : (index, f32) -> ()
  ^bb1(%5: index, %6: f32):  // 2 preds: ^bb0, ^bb2
    %7 = "arith.cmpi"(%5, %arg1) <{predicate = 2 : i64}> : (index, index) -> i1
    "cf.cond_br"(%7, %5, %6, %6)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 1, 2>}> : (i1, index, f32, f32) -> ()
  ^bb2(%8: index):  // pred: ^bb1
    %9 = "arith.mulf"(%6, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %10 = "arith.addi"(%8, %4) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    "cf.br"(%10, %9)[^bb1] : (index, f32) -> ()
  ^bb3(%11: f32, %12: f32):  // 2 preds: ^bb1, ^bb4
    %13 = "arith.addf"(%11, %12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "func.return"(%13) : (f32) -> ()
  ^bb4(%14: f32):  // no predecessors
    %15 = "arith.addf"(%14, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    "cf.br"(%15, %14)[^bb3] : (f32, f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> i32, sym_name = "switch"}> ({
  ^bb0(%arg0: i32):
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    "cf.switch"(%arg0, %0, %arg0)[^bb1, ^bb2, ^bb1] <{case_operand_segments = array<i32: 0, 1>, case_values = dense<[42, -7]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> ()
  ^bb1(%1: i32):  // 3 preds: ^bb0, ^bb0, ^bb2
    "func.return"(%1) : (i32) -> ()
  ^bb2:  // pred: ^bb0
    %2 = "arith.constant"() <{value = true}> : () -> i1
    "cf.assert"(%2) <{msg = "never \22here\22"}> : (i1) -> ()
    "cf.br"(%arg0)[^bb1] : (i32) -> ()
  }) : () -> ()
}) : () -> ()

