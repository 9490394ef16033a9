"builtin.module"() ({
  "func.func"() <{function_type = (memref<9x11xf32>, memref<9xf32>, memref<9xf32>, memref<9x11xi64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>):
    %0 = "arith.constant"() <{value = 100 : index}> : () -> index
    %1 = "arith.constant"() <{value = 0 : index}> : () -> index
    %2 = "arith.constant"() <{value = 9 : index}> : () -> index
    %3 = "arith.constant"() <{value = 1 : index}> : () -> index
    %4 = "arith.constant"() <{value = 11 : index}> : () -> index
    "scf.for"(%1, %2, %3) ({
    ^bb0(%arg6: index):
      "scf.for"(%1, %4, %3) ({
      ^bb0(%arg7: index):
        %8 = "memref.load"(%arg0, %arg6, %arg7) <{nontemporal = false}> : (memref<9x11xf32>, index, index) -> f32
        %9 = "memref.load"(%arg1, %arg6) <{nontemporal = false}> : (memref<9xf32>, index) -> f32
        %10 = "memref.load"(%arg2, %arg6) <{nontemporal = false}> : (memref<9xf32>, index) -> f32
        %11 = "arith.addf"(%9, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %12 = "arith.maximumf"(%10, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "memref.store"(%11, %arg1, %arg6) <{nontemporal = false}> : (f32, memref<9xf32>, index) -> ()
        "memref.store"(%12, %arg2, %arg6) <{nontemporal = false}> : (f32, memref<9xf32>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%1, %2, %3) ({
    ^bb0(%arg4: index):
      "scf.for"(%1, %4, %3) ({
      ^bb0(%arg5: index):
        %5 = "arith.muli"(%arg4, %0) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        %6 = "arith.addi"(%5, %arg5) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        %7 = "arith.index_cast"(%6) : (index) -> i64
        "memref.store"(%7, %arg3, %arg4, %arg5) <{nontemporal = false}> : (i64, memref<9x11xi64>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

