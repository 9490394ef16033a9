// Operations, types and attributes that nobody has registered; graphs, several regions, odd attributes.
"my.graph"() ({
  %a = "my.use"(%b, %c#1) : (i32, !my.type<4, "x > y", [1, {2}]>) -> i32
  %b = "my.def"(%a) {note = #my.attr<something (odd) -> here>} : (i32) -> i32
  %c:2 = "my.two"(%a) : (i32) -> (f32, !my.type<4, "x > y", [1, {2}]>)
}) : () -> ()
"my.blocks"() ({
  "my.jump"()[^b, ^c] : () -> ()
^b:
  "my.jump"()[^b, ^c] <{weight = 3 : i64}> : () -> ()
^c:
  "my.end"() : () -> ()
^dead(%x: i1):
  %f = "my.function"() : () -> (() -> (i32))
  %g:3, %h = "my.many"(%x) {k} : (i1) -> (i1, i2, i3, none)
  "my.end"(%g#2, %g#0, %h) : (i3, i1, none) -> ()
}, {
}, {
^bb0(%y: i8, %z: !my.other):
  "my.end"() : () -> ()
}) {a = dense<["one", "two"]> : tensor<2x!my.string>, b = "text" : !my.string, c = #my.plain, d = #my<raw "text" here>, f = distinct[3]<[1]>, g = distinct[3]<[1]>, h = array<i1: true, false>, i = array<f16: 0.5, 1.0e-4>, j = array<i8>, "k l" = unit, m = affine_map<() -> ()>, n = affine_set<(d0) : (d0 >= 0)>, o = strided<[?, 1], offset: ?>, p = () -> (), q = (i1) -> ((i1) -> i1), r = -1 : i128, s = "tab\09quote\22back\\slash\C3\A9\00", t = [0x7F800000 : f32, 1.0, 2 : i8, -3], u = memref<2xf32, "space">, v = tensor<2x!my.string, {key = 1 : i32}>, w = loc("f.py":1:2)} : () -> ()
