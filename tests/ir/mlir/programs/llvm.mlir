// The LLVM dialect: its types, attributes and globals.
module attributes {llvm.data_layout = "e-p:64:64-i64:64", llvm.target_triple = "x86_64-unknown-linux-gnu", dlti.dl_spec = #dlti.dl_spec<#dlti.dl_entry<index, 64 : i32>>} {
  llvm.mlir.global internal constant @text("hello\0A\00") {addr_space = 0 : i32}
  llvm.mlir.global external @pair() : !llvm.struct<"pair", (i32, ptr)>
  llvm.func @printf(!llvm.ptr {llvm.noalias}, ...) -> i32
  llvm.func @work(%p: !llvm.ptr {llvm.align = 16 : i64, llvm.nonnull}, %n: i64, %f: f32) -> f32 attributes {passthrough = ["nounwind", ["frame-pointer", "all"]]} {
    %zero = llvm.mlir.constant(0 : i64) : i64
    %one = llvm.mlir.constant(1.0 : f32) : f32
    %s = llvm.mlir.undef : !llvm.struct<(i32, array<4 x f32>)>
    %a = llvm.mlir.addressof @text : !llvm.ptr
    llvm.br ^head(%zero : i64)
  ^head(%i: i64):
    %c = llvm.icmp "slt" %i, %n : i64
    llvm.cond_br %c weights([99, 1]), ^body, ^exit
  ^body:
    %q = llvm.getelementptr inbounds %p[%i, 1, 2] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.struct<(i32, array<4 x f32>)>
    %v = llvm.load %q {alignment = 4 : i64} : !llvm.ptr -> f32
    %w = llvm.fmul %v, %f {fastmathFlags = #llvm.fastmath<contract>} : f32
    llvm.store %w, %q {alignment = 4 : i64} : f32, !llvm.ptr
    %j = llvm.add %i, %n overflow<nsw> : i64
    llvm.br ^head(%j : i64) {loop_annotation = #llvm.loop_annotation<unroll = <disable = true>, mustProgress = true>}
  ^exit:
    %r = llvm.call @printf(%a, %n) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr, i64) -> i32
    %e = llvm.insertvalue %r, %s[0] : !llvm.struct<(i32, array<4 x f32>)>
    %m = llvm.intr.fma(%one, %f, %one) : (f32, f32, f32) -> f32
    %t = llvm.inline_asm has_side_effects "nop", "=r" : () -> i32
    llvm.return %m : f32
  }
}
