#loc2 = loc("<stdin>":2:16)
#loc3 = loc("<stdin>":2:35)
#loc4 = loc("<stdin>":2:48)
#loc5 = loc("<stdin>":2:62)
#loc8 = loc("<stdin>":4:16)
#loc9 = loc("<stdin>":4:56)
#loc19 = loc("<stdin>":18:20)
#loc25 = loc("<stdin>":23:21)
#loc26 = loc("<stdin>":23:30)
#loc29 = loc("<stdin>":27:8)
#loc30 = loc("<stdin>":27:17)
#loc43 = loc("<stdin>":44:21)
#loc49 = loc("<stdin>":49:22)
#loc50 = loc("<stdin>":49:26)
#loc53 = loc("<stdin>":52:10)
#loc54 = loc("<stdin>":52:19)
#loc59 = loc("<stdin>":60:19)
#loc69 = loc("<stdin>":77:19)
#loc71 = loc("<stdin>":78:20)
#loc72 = loc("<stdin>":78:43)
#map = affine_map<(d0) -> (d0 * 8)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf32>, index, index, index) -> f32, sym_name = "sum"}> ({
  ^bb0(%arg14: memref<?xf32> loc("<stdin>":2:16), %arg15: index loc("<stdin>":2:35), %arg16: index loc("<stdin>":2:48), %arg17: index loc("<stdin>":2:62)):
    %27 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32 loc(#loc6)
    %28 = "scf.for"(%arg15, %arg16, %arg17, %27) ({
    ^bb0(%arg18: index loc("<stdin>":4:16), %arg19: f32 loc("<stdin>":4:56)):
      %29 = "memref.load"(%arg14, %arg18) : (memref<?xf32>, index) -> f32 loc(#loc10)
      %30 = "arith.cmpf"(%29, %27) <{fastmath = #arith.fastmath<none>, predicate = 2 : i64}> : (f32, f32) -> i1 loc(#loc11)
      %31 = "scf.if"(%30) ({
        %32 = "arith.addf"(%arg19, %29) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32 loc(#loc13)
        "scf.yield"(%32) : (f32) -> () loc(#loc14)
      }, {
        "scf.yield"(%arg19) : (f32) -> () loc(#loc15)
      }) : (i1) -> f32 loc(#loc12)
      "scf.yield"(%31) : (f32) -> () loc(#loc16)
    }) : (index, index, index, f32) -> f32 loc(#loc7)
    "func.return"(%28) : (f32) -> () loc(#loc17)
  }) : () -> () loc(#loc1)
  "func.func"() <{function_type = (i64) -> (i64, i64), sym_name = "collatz"}> ({
  ^bb0(%arg9: i64 loc("<stdin>":18:20)):
    %14 = "arith.constant"() <{value = 0 : i64}> : () -> i64 loc(#loc20)
    %15 = "arith.constant"() <{value = 1 : i64}> : () -> i64 loc(#loc21)
    %16 = "arith.constant"() <{value = 2 : i64}> : () -> i64 loc(#loc22)
    %17 = "arith.constant"() <{value = 3 : i64}> : () -> i64 loc(#loc23)
    %18:2 = "scf.while"(%arg9, %14) ({
    ^bb0(%arg12: i64 loc("<stdin>":23:21), %arg13: i64 loc("<stdin>":23:30)):
      %26 = "arith.cmpi"(%arg12, %15) <{predicate = 1 : i64}> : (i64, i64) -> i1 loc(#loc27)
      "scf.condition"(%26, %arg12, %arg13) : (i1, i64, i64) -> () loc(#loc28)
    }, {
    ^bb0(%arg10: i64 loc("<stdin>":27:8), %arg11: i64 loc("<stdin>":27:17)):
      %19 = "arith.remui"(%arg10, %16) : (i64, i64) -> i64 loc(#loc31)
      %20 = "arith.cmpi"(%19, %15) <{predicate = 0 : i64}> : (i64, i64) -> i1 loc(#loc32)
      %21 = "scf.if"(%20) ({
        %24 = "arith.muli"(%arg10, %17) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64 loc(#loc34)
        %25 = "arith.addi"(%24, %15) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64 loc(#loc35)
        "scf.yield"(%25) : (i64) -> () loc(#loc36)
      }, {
        %23 = "arith.divui"(%arg10, %16) : (i64, i64) -> i64 loc(#loc37)
        "scf.yield"(%23) : (i64) -> () loc(#loc38)
      }) : (i1) -> i64 loc(#loc33)
      %22 = "arith.addi"(%arg11, %15) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64 loc(#loc39)
      "scf.yield"(%21, %22) : (i64, i64) -> () loc(#loc40)
    }) : (i64, i64) -> (i64, i64) loc(#loc24)
    "func.return"(%18#0, %18#1) : (i64, i64) -> () loc(#loc41)
  }) : () -> () loc(#loc18)
  "func.func"() <{function_type = (memref<16x16xf64>) -> f64, sym_name = "parallel"}> ({
  ^bb0(%arg4: memref<16x16xf64> loc("<stdin>":44:21)):
    %7 = "arith.constant"() <{value = 0 : index}> : () -> index loc(#loc44)
    %8 = "arith.constant"() <{value = 1 : index}> : () -> index loc(#loc45)
    %9 = "arith.constant"() <{value = 16 : index}> : () -> index loc(#loc46)
    %10 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64 loc(#loc47)
    %11 = "scf.parallel"(%7, %7, %9, %9, %8, %8, %10) <{operandSegmentSizes = array<i32: 2, 2, 2, 1>}> ({
    ^bb0(%arg5: index loc("<stdin>":49:22), %arg6: index loc("<stdin>":49:26)):
      %12 = "memref.load"(%arg4, %arg5, %arg6) : (memref<16x16xf64>, index, index) -> f64 loc(#loc51)
      "scf.reduce"(%12) ({
      ^bb0(%arg7: f64 loc("<stdin>":52:10), %arg8: f64 loc("<stdin>":52:19)):
        %13 = "arith.addf"(%arg7, %arg8) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64 loc(#loc55)
        "scf.reduce.return"(%13) : (f64) -> () loc(#loc56)
      }) : (f64) -> () loc(#loc52)
    }) : (index, index, index, index, index, index, f64) -> f64 loc(#loc48)
    "func.return"(%11) : (f64) -> () loc(#loc57)
  }) : () -> () loc(#loc42)
  "func.func"() <{function_type = (index) -> i32, sym_name = "switch"}> ({
  ^bb0(%arg3: index loc("<stdin>":60:19)):
    %3 = "scf.index_switch"(%arg3) <{cases = array<i64: 2, 5>}> ({
      %6 = "arith.constant"() <{value = 0 : i32}> : () -> i32 loc(#loc61)
      "scf.yield"(%6) : (i32) -> () loc(#loc62)
    }, {
      %5 = "arith.constant"() <{value = 20 : i32}> : () -> i32 loc(#loc63)
      "scf.yield"(%5) : (i32) -> () loc(#loc64)
    }, {
      %4 = "arith.constant"() <{value = 50 : i32}> : () -> i32 loc(#loc65)
      "scf.yield"(%4) : (i32) -> () loc(#loc66)
    }) : (index) -> i32 loc(#loc60)
    "func.return"(%3) : (i32) -> () loc(#loc67)
  }) : () -> () loc(#loc58)
  "func.func"() <{function_type = (tensor<64xf32>) -> tensor<64xf32>, sym_name = "forall"}> ({
  ^bb0(%arg0: tensor<64xf32> loc("<stdin>":77:19)):
    %0 = "scf.forall"(%arg0) <{operandSegmentSizes = array<i32: 0, 0, 0, 1>, staticLowerBound = array<i64: 0>, staticStep = array<i64: 1>, staticUpperBound = array<i64: 8>}> ({
    ^bb0(%arg1: index loc("<stdin>":78:20), %arg2: tensor<64xf32> loc("<stdin>":78:43)):
      %1 = "affine.apply"(%arg1) <{map = #map}> : (index) -> index loc(#loc73)
      %2 = "tensor.extract_slice"(%arg2, %1) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 8>, static_strides = array<i64: 1>}> : (tensor<64xf32>, index) -> tensor<8xf32> loc(#loc74)
      "scf.forall.in_parallel"() ({
        "tensor.parallel_insert_slice"(%2, %arg2, %1) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0>, static_offsets = array<i64: -9223372036854775808>, static_sizes = array<i64: 8>, static_strides = array<i64: 1>}> : (tensor<8xf32>, tensor<64xf32>, index) -> () loc(#loc76)
      }) : () -> () loc(#loc75)
    }) : (tensor<64xf32>) -> tensor<64xf32> loc(#loc70)
    "func.return"(%0) : (tensor<64xf32>) -> () loc(#loc77)
  }) : () -> () loc(#loc68)
}) : () -> () loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc6 = loc("<stdin>":3:11)
#loc7 = loc("<stdin>":4:8)
#loc10 = loc("<stdin>":5:10)
#loc11 = loc("<stdin>":6:10)
#loc12 = loc("<stdin>":7:10)
#loc13 = loc("<stdin>":8:12)
#loc14 = loc("<stdin>":9:7)
#loc15 = loc("<stdin>":11:7)
#loc16 = loc("<stdin>":13:5)
#loc17 = loc("<stdin>":15:3)
#loc18 = loc("<stdin>":18:1)
#loc20 = loc("<stdin>":19:11)
#loc21 = loc("<stdin>":20:10)
#loc22 = loc("<stdin>":21:10)
#loc23 = loc("<stdin>":22:12)
#loc24 = loc("<stdin>":23:10)
#loc27 = loc("<stdin>":24:11)
#loc28 = loc("<stdin>":25:5)
#loc31 = loc("<stdin>":28:12)
#loc32 = loc("<stdin>":29:11)
#loc33 = loc("<stdin>":30:10)
#loc34 = loc("<stdin>":31:12)
#loc35 = loc("<stdin>":32:12)
#loc36 = loc("<stdin>":33:7)
#loc37 = loc("<stdin>":35:12)
#loc38 = loc("<stdin>":36:7)
#loc39 = loc("<stdin>":38:10)
#loc40 = loc("<stdin>":39:5)
#loc41 = loc("<stdin>":41:3)
#loc42 = loc("<stdin>":44:1)
#loc44 = loc("<stdin>":45:9)
#loc45 = loc("<stdin>":46:9)
#loc46 = loc("<stdin>":47:10)
#loc47 = loc("<stdin>":48:11)
#loc48 = loc("<stdin>":49:8)
#loc51 = loc("<stdin>":50:10)
#loc52 = loc("<stdin>":51:5)
#loc55 = loc("<stdin>":53:12)
#loc56 = loc("<stdin>":54:7)
#loc57 = loc("<stdin>":57:3)
#loc58 = loc("<stdin>":60:1)
#loc60 = loc("<stdin>":61:8)
#loc61 = loc("<stdin>":71:10)
#loc62 = loc("<stdin>":72:5)
#loc63 = loc("<stdin>":63:10)
#loc64 = loc("<stdin>":64:5)
#loc65 = loc("<stdin>":67:10)
#loc66 = loc("<stdin>":68:5)
#loc67 = loc("<stdin>":74:3)
#loc68 = loc("<stdin>":77:1)
#loc70 = loc("<stdin>":78:8)
#loc73 = loc("<stdin>":79:10)
#loc74 = loc("<stdin>":80:10)
#loc75 = loc("<stdin>":81:5)
#loc76 = loc("<stdin>":82:7)
#loc77 = loc("<stdin>":85:3)

