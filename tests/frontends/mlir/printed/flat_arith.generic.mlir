"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xi32>, memref<?xi32>, memref<?xi32>, index, index, index, index, index, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: memref<?xi32>, %arg3: index, %arg4: index, %arg5: index, %arg6: index, %arg7: index, %arg8: index):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    "scf.for"(%0, %arg3, %1) ({
    ^bb0(%arg9: index):
      %2 = "arith.muli"(%arg9, %arg6) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      %3 = "arith.muli"(%arg9, %arg8) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
      "scf.for"(%0, %arg4, %1) ({
      ^bb0(%arg10: index):
        %4 = "arith.addi"(%3, %arg10) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
        %5 = "memref.load"(%arg2, %4) : (memref<?xi32>, index) -> i32
        %6 = "scf.for"(%0, %arg5, %1, %5) ({
        ^bb0(%arg11: index, %arg12: i32):
          %7 = "arith.addi"(%2, %arg11) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
          %8 = "arith.muli"(%arg11, %arg7) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
          %9 = "arith.addi"(%8, %arg10) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
          %10 = "memref.load"(%arg0, %7) : (memref<?xi32>, index) -> i32
          %11 = "memref.load"(%arg1, %9) : (memref<?xi32>, index) -> i32
          %12 = "arith.muli"(%10, %11) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
          %13 = "arith.addi"(%arg12, %12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
          "scf.yield"(%13) : (i32) -> ()
        }) : (index, index, index, i32) -> i32
        "memref.store"(%6, %arg2, %4) : (i32, memref<?xi32>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

