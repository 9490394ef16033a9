"builtin.module"() ({
  "func.func"() ({
  ^bb0(%arg0: memref<?xf32>, %arg1: memref<2xf32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = 1 : index} : () -> index
    %2 = "memref.dim"(%arg0, %0) : (memref<?xf32>, index) -> index
    %3 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %4 = "arith.constant"() {value = 0xFF800000 : f32} : () -> f32
    %5:2 = "scf.parallel"(%0, %2, %1, %3, %4) ({
    ^bb0(%arg2: index):
      %6 = "memref.load"(%arg0, %arg2) : (memref<?xf32>, index) -> f32
      "scf.reduce"(%6) ({
      ^bb0(%arg3: f32, %arg4: f32):
        %7 = "arith.addf"(%arg3, %arg4) {fastmath = #arith.fastmath<none>} : (f32, f32) -> f32
        "scf.reduce.return"(%7) : (f32) -> ()
      }) : (f32) -> ()
      "scf.reduce"(%6) ({
      ^bb0(%arg3: f32, %arg4: f32):
        %7 = "arith.maxf"(%arg3, %arg4) {fastmath = #arith.fastmath<none>} : (f32, f32) -> f32
        "scf.reduce.return"(%7) : (f32) -> ()
      }) : (f32) -> ()
      "scf.yield"() : () -> ()
    }) {operand_segment_sizes = array<i32: 1, 1, 1, 2>} : (index, index, index, f32, f32) -> (f32, f32)
    "memref.store"(%5#0, %arg1, %0) : (f32, memref<2xf32>, index) -> ()
    "memref.store"(%5#1, %arg1, %1) : (f32, memref<2xf32>, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?xf32>, memref<2xf32>) -> (), sym_name = "f"} : () -> ()
}) : () -> ()

