"builtin.module"() ({
  "func.func"() <{function_type = (f32, vector<4xf64>, i32, complex<f32>) -> complex<f32>, sym_name = "functions"}> ({
  ^bb0(%arg0: f32, %arg1: vector<4xf64>, %arg2: i32, %arg3: complex<f32>):
    %0 = "math.exp"(%arg0) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %1 = "math.sqrt"(%0) <{fastmath = #arith.fastmath<afn>}> : (f32) -> f32
    %2 = "math.fma"(%1, %arg0, %0) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
    %3 = "math.tanh"(%arg1) <{fastmath = #arith.fastmath<none>}> : (vector<4xf64>) -> vector<4xf64>
    %4 = "math.powf"(%2, %arg0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %5 = "math.ctlz"(%arg2) : (i32) -> i32
    %6 = "math.fpowi"(%arg0, %arg2) <{fastmath = #arith.fastmath<none>}> : (f32, i32) -> f32
    %7 = "complex.add"(%arg3, %arg3) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
    %8 = "complex.constant"() <{value = [1.000000e+00 : f32, -2.500000e+00 : f32]}> : () -> complex<f32>
    %9 = "complex.mul"(%7, %8) <{fastmath = #arith.fastmath<none>}> : (complex<f32>, complex<f32>) -> complex<f32>
    %10 = "complex.re"(%9) <{fastmath = #arith.fastmath<none>}> : (complex<f32>) -> f32
    %11 = "complex.create"(%10, %arg0) : (f32, f32) -> complex<f32>
    "func.return"(%11) : (complex<f32>) -> ()
  }) : () -> ()
}) : () -> ()

