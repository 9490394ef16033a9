"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xindex>, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?xindex>, %arg1: index):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 3 : index}> : () -> index
    %3 = "arith.constant"() <{value = 7 : index}> : () -> index
    %4 = "memref.dim"(%arg0, %0) : (memref<?xindex>, index) -> index
    "scf.for"(%0, %4, %1) ({
    ^bb0(%arg2: index):
      %5 = "arith.muli"(%arg2, %2) : (index, index) -> index
      %6 = "arith.addi"(%5, %arg1) : (index, index) -> index
      %7 = "arith.remsi"(%6, %3) : (index, index) -> index
      %8 = "arith.divsi"(%6, %2) : (index, index) -> index
      %9 = "arith.maxsi"(%7, %8) : (index, index) -> index
      %10 = "arith.ceildivsi"(%9, %2) : (index, index) -> index
      %11 = "arith.floordivsi"(%6, %3) : (index, index) -> index
      %12 = "arith.shli"(%10, %1) : (index, index) -> index
      %13 = "arith.subi"(%12, %11) : (index, index) -> index
      "memref.store"(%13, %arg0, %arg2) : (index, memref<?xindex>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

