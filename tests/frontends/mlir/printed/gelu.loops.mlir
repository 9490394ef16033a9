"builtin.module"() ({
  "func.func"() <{function_type = (f32, memref<?x?xf32>, memref<?x?xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: f32, %arg1: memref<?x?xf32>, %arg2: memref<?x?xf32>):
    %0 = "arith.constant"() <{value = 1 : index}> : () -> index
    %1 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %3 = "arith.constant"() <{value = 0.797884583 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = 4.471500e-02 : f32}> : () -> f32
    %5 = "arith.constant"() <{value = 0 : index}> : () -> index
    %6 = "memref.dim"(%arg1, %5) : (memref<?x?xf32>, index) -> index
    %7 = "memref.dim"(%arg1, %0) : (memref<?x?xf32>, index) -> index
    "scf.for"(%5, %6, %0) ({
    ^bb0(%arg3: index):
      "scf.for"(%5, %7, %0) ({
      ^bb0(%arg4: index):
        %8 = "memref.load"(%arg1, %arg3, %arg4) <{nontemporal = false}> : (memref<?x?xf32>, index, index) -> f32
        %9 = "arith.mulf"(%8, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %10 = "arith.mulf"(%9, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %11 = "math.fma"(%4, %10, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32, f32) -> f32
        %12 = "arith.mulf"(%11, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %13 = "math.tanh"(%12) <{fastmath = #arith.fastmath<contract>}> : (f32) -> f32
        %14 = "arith.addf"(%13, %2) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %15 = "arith.mulf"(%8, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %16 = "arith.mulf"(%15, %14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %17 = "arith.mulf"(%arg0, %16) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "memref.store"(%17, %arg2, %arg3, %arg4) <{nontemporal = false}> : (f32, memref<?x?xf32>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

