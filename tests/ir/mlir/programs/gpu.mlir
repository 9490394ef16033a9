// Kernels of a GPU, on the host's side and on the device's.
module attributes {gpu.container_module} {
  gpu.module @kernels {
    gpu.func @scale(%A: memref<?xf32>, %x: f32) workgroup(%shared : memref<32xf32, #gpu.address_space<workgroup>>) private(%own : memref<4xf32, #gpu.address_space<private>>) kernel {
      %t = gpu.thread_id x
      %b = gpu.block_id x
      %d = gpu.block_dim x
      %o = arith.muli %b, %d : index
      %i = arith.addi %o, %t : index
      %v = memref.load %A[%i] : memref<?xf32>
      memref.store %v, %shared[%t] : memref<32xf32, #gpu.address_space<workgroup>>
      gpu.barrier
      %w = arith.mulf %v, %x : f32
      %width = arith.constant 32 : i32
      %one = arith.constant 1 : i32
      %s, %ok = gpu.shuffle xor %w, %one, %width : f32
      %sum = gpu.all_reduce add %s {
      } : (f32) -> (f32)
      memref.store %sum, %A[%i] : memref<?xf32>
      gpu.return
    }
    gpu.func @mma(%A: memref<16x16xf16, 3>, %i: index) {
      %a = gpu.subgroup_mma_load_matrix %A[%i, %i] {leadDimension = 16 : index} : memref<16x16xf16, 3> -> !gpu.mma_matrix<16x16xf16, "AOp">
      %c = gpu.subgroup_mma_load_matrix %A[%i, %i] {leadDimension = 16 : index} : memref<16x16xf16, 3> -> !gpu.mma_matrix<16x16xf16, "COp">
      gpu.subgroup_mma_store_matrix %c, %A[%i, %i] {leadDimension = 16 : index, transpose} : !gpu.mma_matrix<16x16xf16, "COp">, memref<16x16xf16, 3>
      gpu.return
    }
  }
  func.func @host(%A: memref<?xf32>, %x: f32, %n: index) {
    %c32 = arith.constant 32 : index
    %c1 = arith.constant 1 : index
    %t0 = gpu.wait async
    %t1 = gpu.launch_func async [%t0] @kernels::@scale blocks in (%n, %c1, %c1) threads in (%c32, %c1, %c1) args(%A : memref<?xf32>, %x : f32)
    gpu.wait [%t1]
    gpu.launch blocks(%bx, %by, %bz) in (%gx = %n, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
      %v = memref.load %A[%tx] : memref<?xf32>
      memref.store %v, %A[%bx] : memref<?xf32>
      gpu.terminator
    }
    return
  }
}
