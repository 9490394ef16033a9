"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: index, %arg3: index):
    %0 = "arith.constant"() {value = 1 : index} : () -> index
    %1 = "arith.constant"() {value = 2 : index} : () -> index
    %2 = "arith.constant"() {value = 2.000000e+00 : f32} : () -> f32
    "scf.parallel"(%arg2, %arg2, %arg3, %arg3, %0, %1) ({
    ^bb0(%arg4: index, %arg5: index):
      %3 = "memref.load"(%arg0, %arg4, %arg5) : (memref<?x?xf32>, index, index) -> f32
      %4 = "arith.mulf"(%3, %2) : (f32, f32) -> f32
      "memref.store"(%4, %arg1, %arg5, %arg4) : (f32, memref<?x?xf32>, index, index) -> ()
      "scf.yield"() : () -> ()
    }) {operand_segment_sizes = dense<[2, 2, 2, 0]> : vector<4xi32>} : (index, index, index, index, index, index) -> ()
    "std.return"() : () -> ()
  }) {sym_name = "f", type = (memref<?x?xf32>, memref<?x?xf32>, index, index) -> ()} : () -> ()
}) : () -> ()

