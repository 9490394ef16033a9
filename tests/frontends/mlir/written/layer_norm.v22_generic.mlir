"builtin.module"() ({
  "func.func"() <{function_type = (tensor<?x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16xf32>, sym_name = "f"}> ({
  ^bb0(%arg0: tensor<?x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "tensor.dim"(%arg0, %0) : (tensor<?x16xf32>, index) -> index
    %2 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 1.600000e+01 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 9.99999974E-6 : f32}> : () -> f32
    %5 = "tensor.empty"(%1) : (index) -> tensor<?xf32>
    %6 = "tensor.empty"(%1) : (index) -> tensor<?x16xf32>
    %7 = "linalg.fill"(%2, %5) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg33: f32, %arg34: f32):
      "linalg.yield"(%arg33) : (f32) -> ()
    }) : (f32, tensor<?xf32>) -> tensor<?xf32>
    %8 = "linalg.reduce"(%arg0, %7) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg31: f32, %arg32: f32):
      %31 = "arith.addf"(%arg32, %arg31) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%31) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?xf32>) -> tensor<?xf32>
    %9 = "linalg.map"(%8, %5) ({
    ^bb0(%arg29: f32, %arg30: f32):
      %30 = "arith.divf"(%arg29, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%30) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %10 = "linalg.broadcast"(%9, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg27: f32, %arg28: f32):
      "linalg.yield"(%arg27) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %11 = "linalg.sub"(%arg0, %10, %6) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg24: f32, %arg25: f32, %arg26: f32):
      %29 = "arith.subf"(%arg24, %arg25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%29) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %12 = "linalg.square"(%11, %6) <{operandSegmentSizes = array<i32: 1, 1>}> ({
    ^bb0(%arg22: f32, %arg23: f32):
      %28 = "arith.mulf"(%arg22, %arg22) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%28) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %13 = "linalg.reduce"(%12, %7) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg20: f32, %arg21: f32):
      %27 = "arith.addf"(%arg21, %arg20) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%27) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?xf32>) -> tensor<?xf32>
    %14 = "linalg.map"(%13, %5) ({
    ^bb0(%arg18: f32, %arg19: f32):
      %24 = "arith.divf"(%arg18, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %25 = "arith.addf"(%24, %4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %26 = "math.rsqrt"(%25) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "linalg.yield"(%26) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %15 = "linalg.broadcast"(%14, %6) <{dimensions = array<i64: 1>}> ({
    ^bb0(%arg16: f32, %arg17: f32):
      "linalg.yield"(%arg16) : (f32) -> ()
    }) : (tensor<?xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %16 = "linalg.mul"(%11, %15, %6) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg13: f32, %arg14: f32, %arg15: f32):
      %23 = "arith.mulf"(%arg13, %arg14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%23) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %17 = "linalg.broadcast"(%arg1, %6) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg11: f32, %arg12: f32):
      "linalg.yield"(%arg11) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %18 = "linalg.broadcast"(%arg2, %6) <{dimensions = array<i64: 0>}> ({
    ^bb0(%arg9: f32, %arg10: f32):
      "linalg.yield"(%arg9) : (f32) -> ()
    }) : (tensor<16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %19 = "linalg.mul"(%16, %17, %6) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg6: f32, %arg7: f32, %arg8: f32):
      %22 = "arith.mulf"(%arg6, %arg7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%22) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    %20 = "linalg.add"(%19, %18, %6) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: f32, %arg4: f32, %arg5: f32):
      %21 = "arith.addf"(%arg3, %arg4) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%21) : (f32) -> ()
    }) : (tensor<?x16xf32>, tensor<?x16xf32>, tensor<?x16xf32>) -> tensor<?x16xf32>
    "func.return"(%20) : (tensor<?x16xf32>) -> ()
  }) : () -> ()
}) : () -> ()
