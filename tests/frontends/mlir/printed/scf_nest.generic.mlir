"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x?xf32>, memref<?x?xf32>, memref<?x?xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %3 = "memref.dim"(%arg0, %0) : (memref<?x?xf32>, index) -> index
    %4 = "memref.dim"(%arg0, %1) : (memref<?x?xf32>, index) -> index
    %5 = "memref.dim"(%arg1, %1) : (memref<?x?xf32>, index) -> index
    "scf.parallel"(%0, %0, %3, %5, %1, %1) <{operandSegmentSizes = array<i32: 2, 2, 2, 0>}> ({
    ^bb0(%arg3: index, %arg4: index):
      %6 = "scf.for"(%0, %4, %1, %2) ({
      ^bb0(%arg5: index, %arg6: f32):
        %7 = "memref.load"(%arg0, %arg3, %arg5) : (memref<?x?xf32>, index, index) -> f32
        %8 = "memref.load"(%arg1, %arg5, %arg4) : (memref<?x?xf32>, index, index) -> f32
        %9 = "arith.mulf"(%7, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %10 = "arith.addf"(%arg6, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "scf.yield"(%10) : (f32) -> ()
      }) : (index, index, index, f32) -> f32
      "memref.store"(%6, %arg2, %arg3, %arg4) : (f32, memref<?x?xf32>, index, index) -> ()
      "scf.reduce"() : () -> ()
    }) : (index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

