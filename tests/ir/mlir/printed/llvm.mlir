#loop_unroll = #llvm.loop_unroll<disable = true>
#loop_annotation = #llvm.loop_annotation<unroll = #loop_unroll, mustProgress = true>
"builtin.module"() ({
  "llvm.mlir.global"() <{addr_space = 0 : i32, constant, global_type = !llvm.array<7 x i8>, linkage = #llvm.linkage<internal>, sym_name = "text", unnamed_addr = 0 : i64, value = "hello\0A\00", visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.mlir.global"() <{addr_space = 0 : i32, global_type = !llvm.struct<"pair", (i32, ptr)>, linkage = #llvm.linkage<external>, sym_name = "pair", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, arg_attrs = [{llvm.noalias}], function_type = !llvm.func<i32 (ptr, ...)>, linkage = #llvm.linkage<external>, sym_name = "printf", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  }) : () -> ()
  "llvm.func"() <{CConv = #llvm.cconv<ccc>, arg_attrs = [{llvm.align = 16 : i64, llvm.nonnull}, {}, {}], function_type = !llvm.func<f32 (ptr, i64, f32)>, linkage = #llvm.linkage<external>, passthrough = ["nounwind", ["frame-pointer", "all"]], sym_name = "work", unnamed_addr = 0 : i64, visibility_ = 0 : i64}> ({
  ^bb0(%arg0: !llvm.ptr, %arg1: i64, %arg2: f32):
    %0 = "llvm.mlir.constant"() <{value = 0 : i64}> : () -> i64
    %1 = "llvm.mlir.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %2 = "llvm.mlir.undef"() : () -> !llvm.struct<(i32, array<4 x f32>)>
    %3 = "llvm.mlir.addressof"() <{global_name = @text}> : () -> !llvm.ptr
    "llvm.br"(%0)[^bb1] : (i64) -> ()
  ^bb1(%4: i64):  // 2 preds: ^bb0, ^bb2
    %5 = "llvm.icmp"(%4, %arg1) <{predicate = 2 : i64}> : (i64, i64) -> i1
    "llvm.cond_br"(%5)[^bb2, ^bb3] <{branch_weights = array<i32: 99, 1>, operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
  ^bb2:  // pred: ^bb1
    %6 = "llvm.getelementptr"(%arg0, %4) <{elem_type = !llvm.struct<(i32, array<4 x f32>)>, inbounds, rawConstantIndices = array<i32: -2147483648, 1, 2>}> : (!llvm.ptr, i64) -> !llvm.ptr
    %7 = "llvm.load"(%6) <{alignment = 4 : i64, ordering = 0 : i64}> : (!llvm.ptr) -> f32
    %8 = "llvm.fmul"(%7, %arg2) <{fastmathFlags = #llvm.fastmath<contract>}> : (f32, f32) -> f32
    "llvm.store"(%8, %6) <{alignment = 4 : i64, ordering = 0 : i64}> : (f32, !llvm.ptr) -> ()
    %9 = "llvm.add"(%4, %arg1) <{overflowFlags = #llvm.overflow<nsw>}> : (i64, i64) -> i64
    "llvm.br"(%9)[^bb1] <{loop_annotation = #loop_annotation}> : (i64) -> ()
  ^bb3:  // pred: ^bb1
    %10 = "llvm.call"(%3, %arg1) <{CConv = #llvm.cconv<ccc>, TailCallKind = #llvm.tailcallkind<none>, callee = @printf, fastmathFlags = #llvm.fastmath<none>, var_callee_type = !llvm.func<i32 (ptr, ...)>}> : (!llvm.ptr, i64) -> i32
    %11 = "llvm.insertvalue"(%2, %10) <{position = array<i64: 0>}> : (!llvm.struct<(i32, array<4 x f32>)>, i32) -> !llvm.struct<(i32, array<4 x f32>)>
    %12 = "llvm.intr.fma"(%1, %arg2, %1) <{fastmathFlags = #llvm.fastmath<none>}> : (f32, f32, f32) -> f32
    %13 = "llvm.inline_asm"() <{asm_string = "nop", constraints = "=r", has_side_effects}> : () -> i32
    "llvm.return"(%12) : (f32) -> ()
  }) : () -> ()
}) {dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 64 : i32>>, llvm.data_layout = "e-p:64:64-i64:64", llvm.target_triple = "x86_64-unknown-linux-gnu"} : () -> ()

