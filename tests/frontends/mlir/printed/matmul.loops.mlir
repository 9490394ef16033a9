"builtin.module"() ({
  "func.func"() <{function_type = (memref<12x20xf32>, memref<20x16xf32>, memref<12x16xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<12x20xf32>, %arg1: memref<20x16xf32>, %arg2: memref<12x16xf32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 12 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1 : index}> : () -> index
    %3 = "arith.constant"() <{value = 16 : index}> : () -> index
    %4 = "arith.constant"() <{value = 20 : index}> : () -> index
    "scf.for"(%0, %1, %2) ({
    ^bb0(%arg3: index):
      "scf.for"(%0, %3, %2) ({
      ^bb0(%arg4: index):
        "scf.for"(%0, %4, %2) ({
        ^bb0(%arg5: index):
          %5 = "memref.load"(%arg0, %arg3, %arg5) <{nontemporal = false}> : (memref<12x20xf32>, index, index) -> f32
          %6 = "memref.load"(%arg1, %arg5, %arg4) <{nontemporal = false}> : (memref<20x16xf32>, index, index) -> f32
          %7 = "memref.load"(%arg2, %arg3, %arg4) <{nontemporal = false}> : (memref<12x16xf32>, index, index) -> f32
          %8 = "arith.mulf"(%5, %6) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %9 = "arith.addf"(%7, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "memref.store"(%9, %arg2, %arg3, %arg4) <{nontemporal = false}> : (f32, memref<12x16xf32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

