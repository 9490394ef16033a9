// Functions: visibility, attributes of arguments and results, calls, function types, symbols with odd names.
module @"odd name!" attributes {user.list = [1, 2.0, "three", @f, @a::@"b c", i32, unit, true, [], {}], user.number = 7 : ui8, user.negative = -7 : si16} {
  func.func private @outside(i32 {user.a = 1 : i8}, tuple<i32, (f32) -> f32>, none) -> (f32 {user.b}, complex<i16>)
  func.func @f(%a: i32 {user.c = "text"}, %g: (i32) -> i32) -> (i32, i32) attributes {user.d = {x = 1, "y z" = array<i64: 1, 2>}} {
    %0:2 = func.call @two(%a) : (i32) -> (i32, i32)
    %1 = func.call_indirect %g(%0#1) : (i32) -> i32
    %h = func.constant @one : (i32) -> i32
    return %0#0, %1 : i32, i32
  }
  func.func nested @two(%a: i32) -> (i32, i32) {
    return %a, %a : i32, i32
  }
  func.func @one(%a: i32) -> i32 {
    return %a : i32
  }
  func.func @"with space"() {
    return
  }
  module {
    func.func private @inner(memref<*xi8>) -> (() -> ())
  }
}
