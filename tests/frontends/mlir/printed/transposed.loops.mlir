"builtin.module"() ({
  "func.func"() <{function_type = (memref<6x10xf32>, memref<6x8xf32>, memref<10x8xf32>, memref<7x8xf32>, memref<10x7xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<6x10xf32>, %arg1: memref<6x8xf32>, %arg2: memref<10x8xf32>, %arg3: memref<7x8xf32>, %arg4: memref<10x7xf32>):
    %0 = "arith.constant"() <{value = 7 : index}> : () -> index
    %1 = "arith.constant"() <{value = 0 : index}> : () -> index
    %2 = "arith.constant"() <{value = 10 : index}> : () -> index
    %3 = "arith.constant"() <{value = 1 : index}> : () -> index
    %4 = "arith.constant"() <{value = 8 : index}> : () -> index
    %5 = "arith.constant"() <{value = 6 : index}> : () -> index
    "scf.for"(%1, %2, %3) ({
    ^bb0(%arg8: index):
      "scf.for"(%1, %4, %3) ({
      ^bb0(%arg9: index):
        "scf.for"(%1, %5, %3) ({
        ^bb0(%arg10: index):
          %11 = "memref.load"(%arg0, %arg10, %arg8) <{nontemporal = false}> : (memref<6x10xf32>, index, index) -> f32
          %12 = "memref.load"(%arg1, %arg10, %arg9) <{nontemporal = false}> : (memref<6x8xf32>, index, index) -> f32
          %13 = "memref.load"(%arg2, %arg8, %arg9) <{nontemporal = false}> : (memref<10x8xf32>, index, index) -> f32
          %14 = "arith.mulf"(%11, %12) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %15 = "arith.addf"(%13, %14) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "memref.store"(%15, %arg2, %arg8, %arg9) <{nontemporal = false}> : (f32, memref<10x8xf32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%1, %2, %3) ({
    ^bb0(%arg5: index):
      "scf.for"(%1, %0, %3) ({
      ^bb0(%arg6: index):
        "scf.for"(%1, %4, %3) ({
        ^bb0(%arg7: index):
          %6 = "memref.load"(%arg2, %arg5, %arg7) <{nontemporal = false}> : (memref<10x8xf32>, index, index) -> f32
          %7 = "memref.load"(%arg3, %arg6, %arg7) <{nontemporal = false}> : (memref<7x8xf32>, index, index) -> f32
          %8 = "memref.load"(%arg4, %arg5, %arg6) <{nontemporal = false}> : (memref<10x7xf32>, index, index) -> f32
          %9 = "arith.mulf"(%6, %7) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %10 = "arith.addf"(%8, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "memref.store"(%10, %arg4, %arg5, %arg6) <{nontemporal = false}> : (f32, memref<10x7xf32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

