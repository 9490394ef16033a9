#loc5 = loc("<stdin>":6:19)
#loc6 = loc("<stdin>":6:72)
#loc7 = loc("<stdin>":6:81)
#loc13 = loc("<stdin>":12:9)
#loop_unroll = #llvm.loop_unroll<disable = true>
#loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll, mustProgress = true>
"builtin.module"() ({
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = !llvm.array<7 x i8>, linkage = #llvm.linkage<internal>, sym_name = "text", unnamed_addr = 0 : i64, value = "hello\0A\00", visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc1)
  "llvm.mlir.global"() <{addr_space = 0 : i32, global_type = !llvm.struct<"pair", (i32, ptr)>, linkage = #llvm.linkage<external>, sym_name = "pair", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc2)
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, arg_attrs = [{llvm.noalias}], function_type = !llvm.func<i32 (ptr, ...)>, linkage = #llvm.linkage<external>, sym_name = "printf", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> () loc(#loc3)
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, arg_attrs = [{llvm.align = 16 : i64, llvm.nonnull}, {}, {}], function_type = !llvm.func<f32 (ptr, i64, f32)>, linkage = #llvm.linkage<external>, passthrough = ["nounwind", ["frame-pointer", "all"]], sym_name = "work", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: !llvm.ptr loc("<stdin>":6:19), %arg1: i64 loc("<stdin>":6:72), %arg2: f32 loc("<stdin>":6:81)):
    %0 = "llvm.mlir.constant"() <{value = 0 : i64}> : () -> i64 loc(#loc8)
    %1 = "llvm.mlir.constant"() <{value = 1.000000e+00 : f32}> : () -> f32 loc(#loc9)
    %2 = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, array<4 x f32>)> loc(#loc10)
    %3 = "llvm.mlir.addressof"() <{global_name = @text}> : () -> !llvm.ptr loc(#loc11)
    "llvm.br"(%0)[^bb1] : (i64) -> () loc(#loc12)
  ^bb1(%4: i64 loc("<stdin>":12:9)):  // 2 preds: ^bb0, ^bb2
    %5 = "llvm.icmp"(%4, %arg1) <{predicate = 2 : i64}> : (i64, i64) -> i1 loc(#loc14)
    "llvm.cond_br"(%5)[^bb2, ^bb3] <{branch_weights = array<i32: 99, 1>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> () loc(#loc15)
  ^bb2:  // pred: ^bb1
    %6 = "llvm.getelementptr"(%arg0, %4) <{elem_type = !llvm.struct<(i32, array<4 x f32>)>, inbounds, rawConstantIndices = array<i32: -2147483648, 1, 2>}> : (!llvm.ptr, i64) -> !llvm.ptr loc(#loc16)
    %7 = "llvm.load"(%6) <{alignment = 4 : i64, ordering = 0 : i64}> : (!llvm.ptr) -> f32 loc(#loc17)
    %8 = "llvm.fmul"(%7, %arg2) <{fastmathFlags = #llvm.fastmath<contract>}> : (f32, f32) -> f32 loc(#loc18)
    "llvm.store"(%8, %6) <{alignment = 4 : i64, ordering = 0 : i64}> : (f32, !llvm.ptr) -> () loc(#loc19)
    %9 = "llvm.add"(%4, %arg1) <{overflowFlags = #llvm.overflow<nsw>}> : (i64, i64) -> i64 loc(#loc20)
    "llvm.br"(%9)[^bb1] <{loop_annotation = #loop_annotation}> : (i64) -> () loc(#loc21)
  ^bb3:  // pred: ^bb1
    %10 = "llvm.call"(%3, %arg1) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @printf, fastmathFlags = #llvm.fastmath<none>, var_callee_type = !llvm.func<i32 (ptr, ...)>}> : (!llvm.ptr, i64) -> i32 loc(#loc22)
    %11 = "llvm.insertvalue"(%2, %10) <{position = array<i64: 0>}> : (!llvm.struct<(i32, array<4 x f32>)>, i32) -> !llvm.struct<(i32, array<4 x f32>)> loc(#loc23)
    %12 = "llvm.intr.fma"(%1, %arg2, %1) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, f32, f32) -> f32 loc(#loc24)
    %13 = "llvm.inline_asm"() <{asm_string = "nop", constraints = "=r", has_side_effects}> : () -> i32 loc(#loc25)
    "llvm.return"(%12) : (f32) -> () loc(#loc26)
  }) : () -> () loc(#loc4)
}) {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 64 : i32>>, llvm.data_layout = "e-p:64:64-i64:64", llvm.target_triple = "x86_64-unknown-linux-gnu"} : () -> () loc(#loc)
#loc = loc("<stdin>":2:1)
#loc1 = loc("<stdin>":3:3)
#loc2 = loc("<stdin>":4:3)
#loc3 = loc("<stdin>":5:3)
#loc4 = loc("<stdin>":6:3)
#loc8 = loc("<stdin>":7:13)
#loc9 = loc("<stdin>":8:12)
#loc10 = loc("<stdin>":9:10)
#loc11 = loc("<stdin>":10:10)
#loc12 = loc("<stdin>":11:5)
#loc14 = loc("<stdin>":13:10)
#loc15 = loc("<stdin>":14:5)
#loc16 = loc("<stdin>":16:10)
#loc17 = loc("<stdin>":17:10)
#loc18 = loc("<stdin>":18:10)
#loc19 = loc("<stdin>":19:5)
#loc20 = loc("<stdin>":20:10)
#loc21 = loc("<stdin>":21:5)
#loc22 = loc("<stdin>":23:10)
#loc23 = loc("<stdin>":24:10)
#loc24 = loc("<stdin>":25:10)
#loc25 = loc("<stdin>":26:10)
#loc26 = loc("<stdin>":27:5)

