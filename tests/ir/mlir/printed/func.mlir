"builtin.module"() <{sym_name = "odd name!"}> ({
  "func.func"() <{arg_attrs = [{user.a = 1 : i8}, {}, {}], function_type = (i32, tuple<i32, (f32) -> f32>, none) -> (f32, complex<i16>), res_attrs = [{user.b}, {}], sym_name = "outside", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{arg_attrs = [{user.c = "text"}, {}], function_type = (i32, (i32) -> i32) -> (i32, i32), sym_name = "f"}> ({
  ^bb0(%arg2: i32, %arg3: (i32) -> i32):
    %0:2 = "func.call"(%arg2) <{callee = @two}> : (i32) -> (i32, i32)
    %1 = "func.call_indirect"(%arg3, %0#1) : ((i32) -> i32, i32) -> i32
    %2 = "func.constant"() <{value = @one}> : () -> ((i32) -> i32)
    "func.return"(%0#0, %1) : (i32, i32) -> ()
  }) {user.d = {x = 1 : i64, "y z" = array<i64: 1, 2>}} : () -> ()
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "two", sym_visibility = "nested"}> ({
  ^bb0(%arg1: i32):
    "func.return"(%arg1, %arg1) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> i32, sym_name = "one"}> ({
  ^bb0(%arg0: i32):
    "func.return"(%arg0) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> (), sym_name = "with space"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
  "builtin.module"() ({
    "func.func"() <{function_type = (memref<*xi8>) -> (() -> ()), sym_name = "inner", sym_visibility = "private"}> ({
    }) : () -> ()
  }) : () -> ()
}) {user.list = [1, 2.000000e+00, "three", @f, @a::@"b c", i32, unit, true, [], {}], user.negative = -7 : si16, user.number = 7 : ui8} : () -> ()

