"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32, i1, i128, index) -> (i32, i1), sym_name = "integers"}> ({
  ^bb0(%arg8: i32, %arg9: i32, %arg10: i1, %arg11: i128, %arg12: index):
    %32 = "arith.addi"(%arg8, %arg9) <{overflowFlags = #arith.overflow<nsw, nuw>}> : (i32, i32) -> i32
    %33 = "arith.subi"(%32, %arg9) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %34 = "arith.muli"(%33, %arg8) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %35 = "arith.divsi"(%34, %arg9) : (i32, i32) -> i32
    %36 = "arith.remui"(%35, %arg9) : (i32, i32) -> i32
    %37 = "arith.shli"(%36, %arg8) <{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32
    %38 = "arith.andi"(%37, %arg8) : (i32, i32) -> i32
    %39 = "arith.select"(%arg10, %38, %arg8) : (i1, i32, i32) -> i32
    %40 = "arith.extsi"(%39) : (i32) -> i128
    %41 = "arith.xori"(%40, %arg11) : (i128, i128) -> i128
    %42 = "arith.trunci"(%41) : (i128) -> i7
    %43 = "arith.index_cast"(%arg12) : (index) -> i32
    %44:2 = "arith.mului_extended"(%43, %39) : (i32, i32) -> (i32, i32)
    %45:2 = "arith.addui_extended"(%44#0, %44#1) : (i32, i32) -> (i32, i1)
    %46 = "arith.cmpi"(%45#0, %arg8) <{predicate = 6 : i64}> : (i32, i32) -> i1
    %47 = "arith.constant"() <{value = -1 : i128}> : () -> i128
    %48 = "arith.constant"() <{value = -9223372036854775808 : i64}> : () -> i64
    %49 = "arith.constant"() <{value = -1 : i7}> : () -> i7
    %50 = "arith.constant"() <{value = true}> : () -> i1
    "func.return"(%45#0, %46) : (i32, i1) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32, f32, f16, bf16, f64, f128, f80, tf32) -> f32, sym_name = "floats"}> ({
  ^bb0(%arg0: f32, %arg1: f32, %arg2: f16, %arg3: bf16, %arg4: f64, %arg5: f128, %arg6: f80, %arg7: tf32):
    %0 = "arith.addf"(%arg0, %arg1) <{fastmath = #arith.fastmath<reassoc,contract>}> : (f32, f32) -> f32
    %1 = "arith.mulf"(%0, %arg1) <{fastmath = #arith.fastmath<fast>}> : (f32, f32) -> f32
    %2 = "arith.divf"(%1, %arg0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %3 = "arith.negf"(%2) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %4 = "arith.maximumf"(%3, %arg0) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %5 = "arith.cmpf"(%4, %arg1) <{fastmath = #arith.fastmath<none>, predicate = 14 : i64}> : (f32, f32) -> i1
    %6 = "arith.extf"(%arg2) : (f16) -> f32
    %7 = "arith.truncf"(%arg4) : (f64) -> bf16
    %8 = "arith.fptosi"(%6) : (f32) -> i32
    %9 = "arith.sitofp"(%8) : (i32) -> f32
    %10 = "arith.bitcast"(%9) : (f32) -> i32
    %11 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %12 = "arith.constant"() <{value = -0.000000e+00 : f64}> : () -> f64
    %13 = "arith.constant"() <{value = 1.000000e-01 : f64}> : () -> f64
    %14 = "arith.constant"() <{value = 0x419D6F3454000000 : f64}> : () -> f64
    %15 = "arith.constant"() <{value = 3.14159265358979 : f64}> : () -> f64
    %16 = "arith.constant"() <{value = 3.14159274 : f32}> : () -> f32
    %17 = "arith.constant"() <{value = 1.192090e-07 : f16}> : () -> f16
    %18 = "arith.constant"() <{value = 6.550400e+04 : f16}> : () -> f16
    %19 = "arith.constant"() <{value = 0x7FC00000 : f32}> : () -> f32
    %20 = "arith.constant"() <{value = 0xFFF0000000000000 : f64}> : () -> f64
    %21 = "arith.constant"() <{value = 2.500000e+00 : bf16}> : () -> bf16
    %22 = "arith.constant"() <{value = 1.500000e+00 : f128}> : () -> f128
    %23 = "arith.constant"() <{value = -0.299999999999999988898 : f80}> : () -> f80
    %24 = "arith.constant"() <{value = 4.480000e+02 : f8E4M3FN}> : () -> f8E4M3FN
    %25 = "arith.constant"() <{value = 5.734400e+04 : f8E5M2}> : () -> f8E5M2
    %26 = "arith.constant"() <{value = 3.125000e-01 : f8E4M3FNUZ}> : () -> f8E4M3FNUZ
    %27 = "arith.constant"() <{value = 3.125000e-01 : f8E5M2FNUZ}> : () -> f8E5M2FNUZ
    %28 = "arith.constant"() <{value = 3.125000e-01 : f8E4M3B11FNUZ}> : () -> f8E4M3B11FNUZ
    %29 = "arith.constant"() <{value = 7.001950e-01 : tf32}> : () -> tf32
    %30 = "arith.constant"() <{value = 1.000000e+300 : f64}> : () -> f64
    %31 = "arith.constant"() <{value = 4.940660e-324 : f64}> : () -> f64
    "func.return"(%9) : (f32) -> ()
  }) : () -> ()
}) : () -> ()

