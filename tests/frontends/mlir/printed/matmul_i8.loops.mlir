"builtin.module"() ({
  "func.func"() <{function_type = (memref<9x14xi8>, memref<14x11xi8>, memref<9x11xi32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<9x14xi8>, %arg1: memref<14x11xi8>, %arg2: memref<9x11xi32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 9 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1 : index}> : () -> index
    %3 = "arith.constant"() <{value = 11 : index}> : () -> index
    %4 = "arith.constant"() <{value = 14 : index}> : () -> index
    "scf.for"(%0, %1, %2) ({
    ^bb0(%arg3: index):
      "scf.for"(%0, %3, %2) ({
      ^bb0(%arg4: index):
        "scf.for"(%0, %4, %2) ({
        ^bb0(%arg5: index):
          %5 = "memref.load"(%arg0, %arg3, %arg5) <{nontemporal = false}> : (memref<9x14xi8>, index, index) -> i8
          %6 = "memref.load"(%arg1, %arg5, %arg4) <{nontemporal = false}> : (memref<14x11xi8>, index, index) -> i8
          %7 = "memref.load"(%arg2, %arg3, %arg4) <{nontemporal = false}> : (memref<9x11xi32>, index, index) -> i32
          %8 = "arith.extsi"(%5) : (i8) -> i32
          %9 = "arith.extsi"(%6) : (i8) -> i32
          %10 = "arith.muli"(%8, %9) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
          %11 = "arith.addi"(%7, %10) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
          "memref.store"(%11, %arg2, %arg3, %arg4) <{nontemporal = false}> : (i32, memref<9x11xi32>, index, index) -> ()
          "scf.yield"() : () -> ()
        }) : (index, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

