#distinct = distinct[0]<[1]>
#loc = loc("f.py":1:2)
#map = affine_map<() -> ()>
#set = affine_set<(d0) : (d0 >= 0)>
"builtin.module"() ({
  "my.graph"() ({
    %3 = "my.use"(%4, %5#1) : (i32, !my.type<4, "x > y", [1, {2}]>) -> i32
    %4 = "my.def"(%3) {note = #my.attr<something (odd) -> here>} : (i32) -> i32
    %5:2 = "my.two"(%3) : (i32) -> (f32, !my.type<4, "x > y", [1, {2}]>)
  }) : () -> ()
  "my.blocks"() ({
    "my.jump"()[^bb1, ^bb2] : () -> ()
  ^bb1:  // 2 preds: ^bb0, ^bb1
    "my.jump"()[^bb1, ^bb2] <{weight = 3 : i64}> : () -> ()
  ^bb2:  // 2 preds: ^bb0, ^bb1
    "my.end"() : () -> ()
  ^bb3(%0: i1):  // no predecessors
    %1 = "my.function"() : () -> (() -> i32)
    %2:4 = "my.many"(%0) {k} : (i1) -> (i1, i2, i3, none)
    "my.end"(%2#2, %2#0, %2#3) : (i3, i1, none) -> ()
  }, {
  }, {
  ^bb0(%arg0: i8, %arg1: !my.other):
    "my.end"() : () -> ()
  }) {a = dense<["one", "two"]> : tensor<2x!my.string>, b = "text" : !my.string, c = #my.plain, d = #my<raw "text" here>, f = #distinct, g = #distinct, h = array<i1: true, false>, i = array<f16: 5.000000e-01, 1.000170e-04>, j = array<i8>, "k l", m = #map, n = #set, o = strided<[?, 1], offset: ?>, p = () -> (), q = (i1) -> ((i1) -> i1), r = -1 : i128, s = "tab\09quote\22back\\slash\C3\A9\00", t = [0x7F800000 : f32, 1.000000e+00, 2 : i8, -3], u = memref<2xf32, "space">, v = tensor<2x!my.string, {key = 1 : i32}>, w = #loc} : () -> ()
}) : () -> ()

