"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x?x?xf32>, memref<?x?x?xf32>, memref<?x?x?xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x?x?xf32>, %arg1: memref<?x?x?xf32>, %arg2: memref<?x?x?xf32>):
    %0 = "arith.constant"() <{value = 2 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 0 : index}> : () -> index
    %3 = "memref.dim"(%arg0, %2) : (memref<?x?x?xf32>, index) -> index
    %4 = "memref.dim"(%arg0, %1) : (memref<?x?x?xf32>, index) -> index
    %5 = "memref.dim"(%arg0, %0) : (memref<?x?x?xf32>, index) -> index
    %6 = "memref.dim"(%arg1, %0) : (memref<?x?x?xf32>, index) -> index
    "scf.for"(%2, %3, %1) ({
    ^bb0(%arg3: index):
      "scf.for"(%2, %4, %1) ({
      ^bb0(%arg4: index):
        "scf.for"(%2, %6, %1) ({
        ^bb0(%arg5: index):
          "scf.for"(%2, %5, %1) ({
          ^bb0(%arg6: index):
            %7 = "memref.load"(%arg0, %arg3, %arg4, %arg6) <{nontemporal = false}> : (memref<?x?x?xf32>, index, index, index) -> f32
            %8 = "memref.load"(%arg1, %arg3, %arg6, %arg5) <{nontemporal = false}> : (memref<?x?x?xf32>, index, index, index) -> f32
            %9 = "memref.load"(%arg2, %arg3, %arg4, %arg5) <{nontemporal = false}> : (memref<?x?x?xf32>, index, index, index) -> f32
            %10 = "arith.mulf"(%7, %8) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
            %11 = "arith.addf"(%9, %10) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
            "memref.store"(%11, %arg2, %arg3, %arg4, %arg5) <{nontemporal = false}> : (f32, memref<?x?x?xf32>, index, index, index) -> ()
            "scf.yield"() : () -> ()
          }) : (index, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

