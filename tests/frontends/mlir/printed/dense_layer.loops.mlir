"builtin.module"() ({
  "func.func"() <{function_type = (memref<10x12xf32>, memref<12x14xf32>, memref<14xf32>, memref<10x14xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<10x12xf32>, %arg1: memref<12x14xf32>, %arg2: memref<14xf32>, %arg3: memref<10x14xf32>):
    %0 = "arith.constant"() <{value = 12 : index}> : () -> index
    %1 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %2 = "arith.constant"() <{value = 0 : index}> : () -> index
    %3 = "arith.constant"() <{value = 10 : index}> : () -> index
    %4 = "arith.constant"() <{value = 1 : index}> : () -> index
    %5 = "arith.constant"() <{value = 14 : index}> : () -> index
    "scf.for"(%2, %3, %4) ({
    ^bb0(%arg9: index):
      "scf.for"(%2, %5, %4) ({
      ^bb0(%arg10: index):
        "memref.store"(%1, %arg3, %arg9, %arg10) <{nontemporal = false}> : (f32, memref<10x14xf32>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%2, %3, %4) ({
    ^bb0(%arg6: index):
      "scf.for"(%2, %5, %4) ({
      ^bb0(%arg7: index):
        "scf.for"(%2, %0, %4) ({
        ^bb0(%arg8: index):
          %10 = "memref.load"(%arg0, %arg6, %arg8) <{nontemporal = false}> : (memref<10x12xf32>, index, index) -> f32
          %11 = "memref.load"(%arg1, %arg8, %arg7) <{nontemporal = false}> : (memref<12x14xf32>, index, index) -> f32
          %12 = "memref.load"(%arg3, %arg6, %arg7) <{nontemporal = false}> : (memref<10x14xf32>, index, index) -> f32
          %13 = "arith.mulf"(%10, %11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %14 = "arith.addf"(%12, %13) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "memref.store"(%14, %arg3, %arg6, %arg7) <{nontemporal = false}> : (f32, memref<10x14xf32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%2, %3, %4) ({
    ^bb0(%arg4: index):
      "scf.for"(%2, %5, %4) ({
      ^bb0(%arg5: index):
        %6 = "memref.load"(%arg2, %arg5) <{nontemporal = false}> : (memref<14xf32>, index) -> f32
        %7 = "memref.load"(%arg3, %arg4, %arg5) <{nontemporal = false}> : (memref<10x14xf32>, index, index) -> f32
        %8 = "arith.addf"(%7, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        %9 = "arith.maximumf"(%8, %1) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
        "memref.store"(%9, %arg3, %arg4, %arg5) <{nontemporal = false}> : (f32, memref<10x14xf32>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

