#loc3 = loc("<stdin>":4:16)
#loc4 = loc("<stdin>":4:43)
#loc10 = loc("<stdin>":10:25)
#loc13 = loc("<stdin>":13:18)
"builtin.module"() <{sym_name = "odd name!"}> ({
  "func.func"() <{arg_attrs = [{user.a = 1 : i8}, {}, {}], function_type = (i32, tuple<i32, (f32) -> f32>, none) -> (f32, complex<i16>), res_attrs = [{user.b}, {}], sym_name = "outside", sym_visibility = "private"}> ({
  }) : () -> () loc(#loc1)
  "func.func"() <{arg_attrs = [{user.c = "text"}, {}], function_type = (i32, (i32) -> i32) -> (i32, i32), sym_name = "f"}> ({
  ^bb0(%arg2: i32 loc("<stdin>":4:16), %arg3: (i32) -> i32 loc("<stdin>":4:43)):
    %0:2 = "func.call"(%arg2) <{callee = @two}> : (i32) -> (i32, i32) loc(#loc5)
    %1 = "func.call_indirect"(%arg3, %0#1) : ((i32) -> i32, i32) -> i32 loc(#loc6)
    %2 = "func.constant"() <{value = @one}> : () -> ((i32) -> i32) loc(#loc7)
    "func.return"(%0#0, %1) : (i32, i32) -> () loc(#loc8)
  }) {user.d = {x = 1 : i64, "y z" = array<i64: 1, 2>}} : () -> () loc(#loc2)
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "two", sym_visibility = "nested"}> ({
  ^bb0(%arg1: i32 loc("<stdin>":10:25)):
    "func.return"(%arg1, %arg1) : (i32, i32) -> () loc(#loc11)
  }) : () -> () loc(#loc9)
  "func.func"() <{function_type = (i32) -> i32, sym_name = "one"}> ({
  ^bb0(%arg0: i32 loc("<stdin>":13:18)):
    "func.return"(%arg0) : (i32) -> () loc(#loc14)
  }) : () -> () loc(#loc12)
  "func.func"() <{function_type = () -> (), sym_name = "with space"}> ({
    "func.return"() : () -> () loc(#loc16)
  }) : () -> () loc(#loc15)
  "builtin.module"() ({
    "func.func"() <{function_type = (memref<*xi8>) -> (() -> ()), sym_name = "inner", sym_visibility = "private"}> ({
    }) : () -> () loc(#loc18)
  }) : () -> () loc(#loc17)
}) {user.list = [1, 2.000000e+00, "three", @f, @a::@"b c", i32, unit, true, [], {}], user.negative = -7 : si16, user.number = 7 : ui8} : () -> () loc(#loc)
#loc = loc("<stdin>":2:1)
#loc1 = loc("<stdin>":3:3)
#loc2 = loc("<stdin>":4:3)
#loc5 = loc("<stdin>":5:12)
#loc6 = loc("<stdin>":6:10)
#loc7 = loc("<stdin>":7:10)
#loc8 = loc("<stdin>":8:5)
#loc9 = loc("<stdin>":10:3)
#loc11 = loc("<stdin>":11:5)
#loc12 = loc("<stdin>":13:3)
#loc14 = loc("<stdin>":14:5)
#loc15 = loc("<stdin>":16:3)
#loc16 = loc("<stdin>":17:5)
#loc17 = loc("<stdin>":19:3)
#loc18 = loc("<stdin>":20:5)

