// Aliases of aliases, as LLVM's debug information has them.
#di_file = #llvm.di_file<"a.c" in "/tmp">
#di_compile_unit = #llvm.di_compile_unit<id = distinct[0]<>, sourceLanguage = DW_LANG_C, file = #di_file, producer = "me", isOptimized = true, emissionKind = Full>
#di_int = #llvm.di_basic_type<tag = DW_TAG_base_type, name = "int", sizeInBits = 32, encoding = DW_ATE_signed>
#di_type = #llvm.di_subroutine_type<types = #di_int, #di_int>
#di_subprogram = #llvm.di_subprogram<id = distinct[1]<>, compileUnit = #di_compile_unit, scope = #di_file, name = "f", file = #di_file, subprogramFlags = Definition, type = #di_type>
#di_variable = #llvm.di_local_variable<scope = #di_subprogram, name = "x", file = #di_file, line = 3, arg = 1, type = #di_int>
llvm.func @f(%x: i32) -> i32 {
  llvm.intr.dbg.value #di_variable = %x : i32 loc("a.c":3:4)
  llvm.return %x : i32 loc(fused<#di_subprogram>["a.c":4:1])
} loc(fused<#di_subprogram>["a.c":1:1])
