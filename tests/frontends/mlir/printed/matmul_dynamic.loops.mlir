"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x?xf64, strided<[?, 1], offset: ?>>, memref<?x?xf64, strided<[?, 1], offset: ?>>, memref<?x?xf64, strided<[?, 1], offset: ?>>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>>, %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>>):
    %0 = "arith.constant"() <{value = 1 : index}> : () -> index
    %1 = "arith.constant"() <{value = 0.000000e+00 : f64}> : () -> f64
    %2 = "arith.constant"() <{value = 0 : index}> : () -> index
    %3 = "memref.dim"(%arg2, %2) : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index) -> index
    %4 = "memref.dim"(%arg2, %0) : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index) -> index
    "scf.for"(%2, %3, %0) ({
    ^bb0(%arg6: index):
      "scf.for"(%2, %4, %0) ({
      ^bb0(%arg7: index):
        "memref.store"(%1, %arg2, %arg6, %arg7) <{nontemporal = false}> : (f64, memref<?x?xf64, strided<[?, 1], offset: ?>>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    %5 = "memref.dim"(%arg0, %2) : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index) -> index
    %6 = "memref.dim"(%arg0, %0) : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index) -> index
    %7 = "memref.dim"(%arg1, %0) : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index) -> index
    "scf.for"(%2, %5, %0) ({
    ^bb0(%arg3: index):
      "scf.for"(%2, %7, %0) ({
      ^bb0(%arg4: index):
        "scf.for"(%2, %6, %0) ({
        ^bb0(%arg5: index):
          %8 = "memref.load"(%arg0, %arg3, %arg5) <{nontemporal = false}> : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index, index) -> f64
          %9 = "memref.load"(%arg1, %arg5, %arg4) <{nontemporal = false}> : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index, index) -> f64
          %10 = "memref.load"(%arg2, %arg3, %arg4) <{nontemporal = false}> : (memref<?x?xf64, strided<[?, 1], offset: ?>>, index, index) -> f64
          %11 = "arith.mulf"(%8, %9) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
          %12 = "arith.addf"(%10, %11) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
          "memref.store"(%12, %arg2, %arg3, %arg4) <{nontemporal = false}> : (f64, memref<?x?xf64, strided<[?, 1], offset: ?>>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

