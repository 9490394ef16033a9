"builtin.module"() ({
  "func.func"() <{function_type = (memref<3x?x5xi32>, memref<?xi32>, memref<3x5xi32>, memref<9xf64>, memref<f64>, memref<6x8xf32>, memref<8xf32>, memref<8xi32>, memref<6x8xi32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<3x?x5xi32>, %arg1: memref<?xi32>, %arg2: memref<3x5xi32>, %arg3: memref<9xf64>, %arg4: memref<f64>, %arg5: memref<6x8xf32>, %arg6: memref<8xf32>, %arg7: memref<8xi32>, %arg8: memref<6x8xi32>):
    "linalg.reduce"(%arg0, %arg1) <{dimensions = array<i64: 0, 2>}> ({
    ^bb0(%arg17: i32, %arg18: i32):
      %6 = "arith.addi"(%arg18, %arg17) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
      "linalg.yield"(%6) : (i32) -> ()
    }) : (memref<3x?x5xi32>, memref<?xi32>) -> ()
    "linalg.reduce"(%arg0, %arg2) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg15: i32, %arg16: i32):
      %5 = "arith.maxsi"(%arg16, %arg15) : (i32, i32) -> i32
      "linalg.yield"(%5) : (i32) -> ()
    }) : (memref<3x?x5xi32>, memref<3x5xi32>) -> ()
    "linalg.reduce"(%arg3, %arg4) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg13: f64, %arg14: f64):
      %3 = "arith.mulf"(%arg13, %arg13) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      %4 = "arith.addf"(%arg14, %3) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%4) : (f64) -> ()
    }) : (memref<9xf64>, memref<f64>) -> ()
    "linalg.reduce"(%arg5, %arg8, %arg6, %arg7) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg9: f32, %arg10: i32, %arg11: f32, %arg12: i32):
      %0 = "arith.cmpf"(%arg9, %arg11) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %1 = "arith.select"(%0, %arg9, %arg11) : (i1, f32, f32) -> f32
      %2 = "arith.select"(%0, %arg10, %arg12) : (i1, i32, i32) -> i32
      "linalg.yield"(%1, %2) : (f32, i32) -> ()
    }) : (memref<6x8xf32>, memref<6x8xi32>, memref<8xf32>, memref<8xi32>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
