"builtin.module"() ({
  "gpu.module"() <{sym_name = "kernels"}> ({
    "gpu.func"() <{function_type = (memref<?xf32>, f32) -> ()}> ({
    ^bb0(%arg17: memref<?xf32>, %arg18: f32, %arg19: memref<32xf32, #gpu.address_space<workgroup>>, %arg20: memref<4xf32, #gpu.address_space<private>>):
      %7 = "gpu.thread_id"() <{dimension = #gpu<dim x>}> : () -> index
      %8 = "gpu.block_id"() <{dimension = #gpu<dim x>}> : () -> index
      %9 = "gpu.block_dim"() <{dimension = #gpu<dim x>}> : () -> index
      %10 = "arith.muli"(%8, %9) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %11 = "arith.addi"(%10, %7) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %12 = "memref.load"(%arg17, %11) : (memref<?xf32>, index) -> f32
      "memref.store"(%12, %arg19, %7) : (f32, memref<32xf32, #gpu.address_space<workgroup>>, index) -> ()
      "gpu.barrier"() : () -> ()
      %13 = "arith.mulf"(%12, %arg18) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %14 = "arith.constant"() <{value = 32 : i32}> : () -> i32
      %15 = "arith.constant"() <{value = 1 : i32}> : () -> i32
      %16:2 = "gpu.shuffle"(%13, %15, %14) <{mode = #gpu<shuffle_mode xor>}> : (f32, i32, i32) -> (f32, i1)
      %17 = "gpu.all_reduce"(%16#0) <{op = #gpu<all_reduce_op add>}> ({
      }) : (f32) -> f32
      "memref.store"(%17, %arg17, %11) : (f32, memref<?xf32>, index) -> ()
      "gpu.return"() : () -> ()
    }) {gpu.kernel, sym_name = "scale", workgroup_attributions = 1 : i64} : () -> ()
    "gpu.func"() <{function_type = (memref<16x16xf16, 3>, index) -> ()}> ({
    ^bb0(%arg15: memref<16x16xf16, 3>, %arg16: index):
      %5 = "gpu.subgroup_mma_load_matrix"(%arg15, %arg16, %arg16) <{leadDimension = 16 : index}> : (memref<16x16xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
      %6 = "gpu.subgroup_mma_load_matrix"(%arg15, %arg16, %arg16) <{leadDimension = 16 : index}> : (memref<16x16xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "COp">
      "gpu.subgroup_mma_store_matrix"(%6, %arg15, %arg16, %arg16) <{leadDimension = 16 : index, transpose}> : (!gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16, 3>, index, index) -> ()
      "gpu.return"() : () -> ()
    }) {sym_name = "mma", workgroup_attributions = 0 : i64} : () -> ()
    "gpu.module_end"() : () -> ()
  }) : () -> ()
  "func.func"() <{function_type = (memref<?xf32>, f32, index) -> (), sym_name = "host"}> ({
  ^bb0(%arg0: memref<?xf32>, %arg1: f32, %arg2: index):
    %0 = "arith.constant"() <{value = 32 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "gpu.wait"() : () -> !gpu.async.token
    %3 = "gpu.launch_func"(%2, %arg2, %1, %1, %0, %1, %1, %arg0, %arg1) <{kernel = @kernels::@scale, operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 2, 0>}> : (!gpu.async.token, index, index, index, index, index, index, memref<?xf32>, f32) -> !gpu.async.token
    "gpu.wait"(%3) : (!gpu.async.token) -> ()
    "gpu.launch"(%arg2, %1, %1, %0, %1, %1) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
    ^bb0(%arg3: index, %arg4: index, %arg5: index, %arg6: index, %arg7: index, %arg8: index, %arg9: index, %arg10: index, %arg11: index, %arg12: index, %arg13: index, %arg14: index):
      %4 = "memref.load"(%arg0, %arg6) : (memref<?xf32>, index) -> f32
      "memref.store"(%4, %arg0, %arg3) : (f32, memref<?xf32>, index) -> ()
      "gpu.terminator"() : () -> ()
    }) {workgroup_attributions = 0 : i64} : (index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) {gpu.container_module} : () -> ()

