"builtin.module"() ({
  "func.func"() <{function_type = (memref<8x13xf64>, memref<13xf64>, memref<8xf64>, memref<13xf64>, memref<f64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<8x13xf64>, %arg1: memref<13xf64>, %arg2: memref<8xf64>, %arg3: memref<13xf64>, %arg4: memref<f64>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 8 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1 : index}> : () -> index
    %3 = "arith.constant"() <{value = 13 : index}> : () -> index
    "scf.for"(%0, %1, %2) ({
    ^bb0(%arg8: index):
      "scf.for"(%0, %3, %2) ({
      ^bb0(%arg9: index):
        %14 = "memref.load"(%arg0, %arg8, %arg9) <{nontemporal = false}> : (memref<8x13xf64>, index, index) -> f64
        %15 = "memref.load"(%arg1, %arg9) <{nontemporal = false}> : (memref<13xf64>, index) -> f64
        %16 = "memref.load"(%arg2, %arg8) <{nontemporal = false}> : (memref<8xf64>, index) -> f64
        %17 = "arith.mulf"(%14, %15) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        %18 = "arith.addf"(%16, %17) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "memref.store"(%18, %arg2, %arg8) <{nontemporal = false}> : (f64, memref<8xf64>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%0, %3, %2) ({
    ^bb0(%arg6: index):
      "scf.for"(%0, %1, %2) ({
      ^bb0(%arg7: index):
        %9 = "memref.load"(%arg2, %arg7) <{nontemporal = false}> : (memref<8xf64>, index) -> f64
        %10 = "memref.load"(%arg0, %arg7, %arg6) <{nontemporal = false}> : (memref<8x13xf64>, index, index) -> f64
        %11 = "memref.load"(%arg3, %arg6) <{nontemporal = false}> : (memref<13xf64>, index) -> f64
        %12 = "arith.mulf"(%9, %10) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        %13 = "arith.addf"(%11, %12) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "memref.store"(%13, %arg3, %arg6) <{nontemporal = false}> : (f64, memref<13xf64>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "scf.for"(%0, %3, %2) ({
    ^bb0(%arg5: index):
      %4 = "memref.load"(%arg1, %arg5) <{nontemporal = false}> : (memref<13xf64>, index) -> f64
      %5 = "memref.load"(%arg3, %arg5) <{nontemporal = false}> : (memref<13xf64>, index) -> f64
      %6 = "memref.load"(%arg4) <{nontemporal = false}> : (memref<f64>) -> f64
      %7 = "arith.mulf"(%4, %5) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      %8 = "arith.addf"(%6, %7) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "memref.store"(%8, %arg4) <{nontemporal = false}> : (f64, memref<f64>) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

