"builtin.module"() ({
  "func.func"() <{function_type = (memref<10x6xbf16>, memref<10x8xbf16>, memref<6x8xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<10x6xbf16>, %arg1: memref<10x8xbf16>, %arg2: memref<6x8xf32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 6 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1 : index}> : () -> index
    %3 = "arith.constant"() <{value = 8 : index}> : () -> index
    %4 = "arith.constant"() <{value = 10 : index}> : () -> index
    "scf.for"(%0, %1, %2) ({
    ^bb0(%arg3: index):
      "scf.for"(%0, %3, %2) ({
      ^bb0(%arg4: index):
        "scf.for"(%0, %4, %2) ({
        ^bb0(%arg5: index):
          %5 = "memref.load"(%arg0, %arg5, %arg3) <{nontemporal = false}> : (memref<10x6xbf16>, index, index) -> bf16
          %6 = "memref.load"(%arg1, %arg5, %arg4) <{nontemporal = false}> : (memref<10x8xbf16>, index, index) -> bf16
          %7 = "memref.load"(%arg2, %arg3, %arg4) <{nontemporal = false}> : (memref<6x8xf32>, index, index) -> f32
          %8 = "arith.extf"(%5) : (bf16) -> f32
          %9 = "arith.extf"(%6) : (bf16) -> f32
          %10 = "arith.mulf"(%8, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %11 = "arith.addf"(%7, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "memref.store"(%11, %arg2, %arg3, %arg4) <{nontemporal = false}> : (f32, memref<6x8xf32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

