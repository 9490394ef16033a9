#map = affine_map<(d0, d1) -> (d0 + d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<20xf64>, memref<5xf64>, memref<16xf64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<20xf64>, %arg1: memref<5xf64>, %arg2: memref<16xf64>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 16 : index}> : () -> index
    %2 = "arith.constant"() <{value = 1 : index}> : () -> index
    %3 = "arith.constant"() <{value = 5 : index}> : () -> index
    "scf.for"(%0, %1, %2) ({
    ^bb0(%arg3: index):
      "scf.for"(%0, %3, %2) ({
      ^bb0(%arg4: index):
        %4 = "affine.apply"(%arg3, %arg4) <{map = #map}> : (index, index) -> index
        %5 = "memref.load"(%arg0, %4) <{nontemporal = false}> : (memref<20xf64>, index) -> f64
        %6 = "memref.load"(%arg1, %arg4) <{nontemporal = false}> : (memref<5xf64>, index) -> f64
        %7 = "memref.load"(%arg2, %arg3) <{nontemporal = false}> : (memref<16xf64>, index) -> f64
        %8 = "arith.mulf"(%5, %6) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        %9 = "arith.addf"(%7, %8) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
        "memref.store"(%9, %arg2, %arg3) <{nontemporal = false}> : (f64, memref<16xf64>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

