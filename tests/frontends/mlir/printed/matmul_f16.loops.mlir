"builtin.module"() ({
  "func.func"() <{function_type = (memref<16x32xf16>, memref<32x24xf16>, memref<16x24xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<16x32xf16>, %arg1: memref<32x24xf16>, %arg2: memref<16x24xf32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 16 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1 : index}> : () -> index
    %3 = "arith.constant"() <{value = 24 : index}> : () -> index
    %4 = "arith.constant"() <{value = 32 : index}> : () -> index
    "scf.for"(%0, %1, %2) ({
    ^bb0(%arg3: index):
      "scf.for"(%0, %3, %2) ({
      ^bb0(%arg4: index):
        "scf.for"(%0, %4, %2) ({
        ^bb0(%arg5: index):
          %5 = "memref.load"(%arg0, %arg3, %arg5) <{nontemporal = false}> : (memref<16x32xf16>, index, index) -> f16
          %6 = "memref.load"(%arg1, %arg5, %arg4) <{nontemporal = false}> : (memref<32x24xf16>, index, index) -> f16
          %7 = "memref.load"(%arg2, %arg3, %arg4) <{nontemporal = false}> : (memref<16x24xf32>, index, index) -> f32
          %8 = "arith.extf"(%5) : (f16) -> f32
          %9 = "arith.extf"(%6) : (f16) -> f32
          %10 = "arith.mulf"(%8, %9) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          %11 = "arith.addf"(%7, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
          "memref.store"(%11, %arg2, %arg3, %arg4) <{nontemporal = false}> : (f32, memref<16x24xf32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

