#map = affine_map<(d0) -> (d0 * 8)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf32>, index, index, index) -> f32, sym_name = "sum"}> ({
  ^bb0(%arg14: memref<?xf32>, %arg15: index, %arg16: index, %arg17: index):
    %27 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %28 = "scf.for"(%arg15, %arg16, %arg17, %27) ({
    ^bb0(%arg18: index, %arg19: f32):
      %29 = "memref.load"(%arg14, %arg18) : (memref<?xf32>, index) -> f32
      %30 = "arith.cmpf"(%29, %27) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1
      %31 = "scf.if"(%30) ({
        %32 = "arith.addf"(%arg19, %29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "scf.yield"(%32) : (f32) -> ()
      }, {
        "scf.yield"(%arg19) : (f32) -> ()
      }) : (i1) -> f32
      "scf.yield"(%31) : (f32) -> ()
    }) : (index, index, index, f32) -> f32
    "func.return"(%28) : (f32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i64) -> (i64, i64), sym_name = "collatz"}> ({
  ^bb0(%arg9: i64):
    %14 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %15 = "arith.constant"() <{value = 1 : i64}> : () -> i64
    %16 = "arith.constant"() <{value = 2 : i64}> : () -> i64
    %17 = "arith.constant"() <{value = 3 : i64}> : () -> i64
    %18:2 = "scf.while"(%arg9, %14) ({
    ^bb0(%arg12: i64, %arg13: i64):
      %26 = "arith.cmpi"(%arg12, %15) <{predicate = 1 : i64}> : (i64, i64) -> i1
      "scf.condition"(%26, %arg12, %arg13) : (i1, i64, i64) -> ()
    }, {
    ^bb0(%arg10: i64, %arg11: i64):
      %19 = "arith.remui"(%arg10, %16) : (i64, i64) -> i64
      %20 = "arith.cmpi"(%19, %15) <{predicate = 0 : i64}> : (i64, i64) -> i1
      %21 = "scf.if"(%20) ({
        %24 = "arith.muli"(%arg10, %17) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
        %25 = "arith.addi"(%24, %15) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
        "scf.yield"(%25) : (i64) -> ()
      }, {
        %23 = "arith.divui"(%arg10, %16) : (i64, i64) -> i64
        "scf.yield"(%23) : (i64) -> ()
      }) : (i1) -> i64
      %22 = "arith.addi"(%arg11, %15) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
      "scf.yield"(%21, %22) : (i64, i64) -> ()
    }) : (i64, i64) -> (i64, i64)
    "func.return"(%18#0, %18#1) : (i64, i64) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<16x16xf64>) -> f64, sym_name = "parallel"}> ({
  ^bb0(%arg4: memref<16x16xf64>):
    %7 = "arith.constant"() <{value = 0 : index}> : () -> index
    %8 = "arith.constant"() <{value = 1 : index}> : () -> index
    %9 = "arith.constant"() <{value = 16 : index}> : () -> index
    %10 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64
    %11 = "scf.parallel"(%7, %7, %9, %9, %8, %8, %10) <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
    ^bb0(%arg5: index, %arg6: index):
      %12 = "memref.load"(%arg4, %arg5, %arg6) : (memref<16x16xf64>, index, index) -> f64
      "scf.reduce"(%12) ({
      ^bb0(%arg7: f64, %arg8: f64):
        %13 = "arith.addf"(%arg7, %arg8) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "scf.reduce.return"(%13) : (f64) -> ()
      }) : (f64) -> ()
    }) : (index, index, index, index, index, index, f64) -> f64
    "func.return"(%11) : (f64) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (index) -> i32, sym_name = "switch"}> ({
  ^bb0(%arg3: index):
    %3 = "scf.index_switch"(%arg3) <{cases = array<i64: 2, 5>}> ({
      %6 = "arith.constant"() <{value = 0 : i32}> : () -> i32
      "scf.yield"(%6) : (i32) -> ()
    }, {
      %5 = "arith.constant"() <{value = 20 : i32}> : () -> i32
      "scf.yield"(%5) : (i32) -> ()
    }, {
      %4 = "arith.constant"() <{value = 50 : i32}> : () -> i32
      "scf.yield"(%4) : (i32) -> ()
    }) : (index) -> i32
    "func.return"(%3) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (tensor<64xf32>) -> tensor<64xf32>, sym_name = "forall"}> ({
  ^bb0(%arg0: tensor<64xf32>):
    %0 = "scf.forall"(%arg0) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 1>, staticUpperBound = array<i64: 8>}> ({
    ^bb0(%arg1: index, %arg2: tensor<64xf32>):
      %1 = "affine.apply"(%arg1) <{map = #map}> : (index) -> index
      %2 = "tensor.extract_slice"(%arg2, %1) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 8>, static_strides = array<i64: 1>}> : (tensor<64xf32>, index) -> tensor<8xf32>
      "scf.forall.in_parallel"() ({
        "tensor.parallel_insert_slice"(%2, %arg2, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 8>, static_strides = array<i64: 1>}> : (tensor<8xf32>, tensor<64xf32>, index) -> ()
      }) : () -> ()
    }) : (tensor<64xf32>) -> tensor<64xf32>
    "func.return"(%0) : (tensor<64xf32>) -> ()
  }) : () -> ()
}) : () -> ()

