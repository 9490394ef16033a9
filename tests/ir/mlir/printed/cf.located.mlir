#loc2 = loc("<stdin>":2:17)
#loc3 = loc("<stdin>":2:28)
#loc7 = loc("<stdin>":6:7)
#loc8 = loc("<stdin>":6:18)
#loc11 = loc("<stdin>":9:7)
#loc15 = loc("<stdin>":13:7)
#loc16 = loc("<stdin>":13:16)
#loc19 = loc("<stdin>":16:7)
#loc23 = loc("<stdin>":21:19)
#loc26 = loc("<stdin>":28:6)
"builtin.module"() ({
  "func.func"() <{function_type = (index, f32) -> f32, sym_name = "loop"}> ({
  ^bb0(%arg1: index loc("<stdin>":2:17), %arg2: f32 loc("<stdin>":2:28)):
    %3 = "arith.constant"() <{value = 0 : index}> : () -> index loc(#loc4)
    %4 = "arith.constant"() <{value = 1 : index}> : () -> index loc(#loc5)
    "cf.br"(%3, %arg2)[^bb1] : (index, f32) -> () loc(#loc6)
  ^bb1(%5: index loc("<stdin>":6:7), %6: f32 loc("<stdin>":6:18)):  // 2 preds: ^bb0, ^bb2
    %7 = "arith.cmpi"(%5, %arg1) <{predicate = 2 : i64}> : (index, index) -> i1 loc(#loc9)
    "cf.cond_br"(%7, %5, %6, %6)[^bb2, ^bb3] <{operandSegmentSizes = array<i32: 1, 1, 2>}> : (i1, index, f32, f32) -> () loc(#loc10)
  ^bb2(%8: index loc("<stdin>":9:7)):  // pred: ^bb1
    %9 = "arith.mulf"(%6, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc12)
    %10 = "arith.addi"(%8, %4) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index loc(#loc13)
    "cf.br"(%10, %9)[^bb1] : (index, f32) -> () loc(#loc14)
  ^bb3(%11: f32 loc("<stdin>":13:7), %12: f32 loc("<stdin>":13:16)):  // 2 preds: ^bb1, ^bb4
    %13 = "arith.addf"(%11, %12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc17)
    "func.return"(%13) : (f32) -> () loc(#loc18)
  ^bb4(%14: f32 loc("<stdin>":16:7)):  // no predecessors
    %15 = "arith.addf"(%14, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc20)
    "cf.br"(%15, %14)[^bb3] : (f32, f32) -> () loc(#loc21)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i32) -> i32, sym_name = "switch"}> ({
  ^bb0(%arg0: i32 loc("<stdin>":21:19)):
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32 loc(#loc24)
    "cf.switch"(%arg0, %0, %arg0)[^bb1, ^bb2, ^bb1] <{case_operand_segments = array<i32: 0, 1>, case_values = dense<[42, -7]> : vector<2xi32>, operandSegmentSizes = array<i32: 1, 1, 1>}> : (i32, i32, i32) -> () loc(#loc25)
  ^bb1(%1: i32 loc("<stdin>":28:6)):  // 3 preds: ^bb0, ^bb0, ^bb2
    "func.return"(%1) : (i32) -> () loc(#loc27)
  ^bb2:  // pred: ^bb0
    %2 = "arith.constant"() <{value = true}> : () -> i1 loc(#loc28)
    "cf.assert"(%2) <{msg = "never \22here\22"}> : (i1) -> () loc(#loc29)
    "cf.br"(%arg0)[^bb1] : (i32) -> () loc(#loc30)
  }) : () -> () loc(#loc22)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc4 = loc("<stdin>":3:9)
#loc5 = loc("<stdin>":4:9)
#loc6 = loc("<stdin>":5:3)
#loc9 = loc("<stdin>":7:9)
#loc10 = loc("<stdin>":8:3)
#loc12 = loc("<stdin>":10:8)
#loc13 = loc("<stdin>":11:8)
#loc14 = loc("<stdin>":12:3)
#loc17 = loc("<stdin>":14:8)
#loc18 = loc("<stdin>":15:3)
#loc20 = loc("<stdin>":17:8)
#loc21 = loc("<stdin>":18:3)
#loc22 = loc("<stdin>":21:1)
#loc24 = loc("<stdin>":22:8)
#loc25 = loc("<stdin>":23:3)
#loc27 = loc("<stdin>":29:3)
#loc28 = loc("<stdin>":31:11)
#loc29 = loc("<stdin>":32:3)
#loc30 = loc("<stdin>":33:3)

