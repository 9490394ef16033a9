"builtin.module"() ({
  "func.func"() <{function_type = (memref<3x5x7xi16>, memref<7x3x5xi16>, memref<?x?xf64>, memref<?x?xf64>, memref<4xbf16>, memref<2x4x3xbf16>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<3x5x7xi16>, %arg1: memref<7x3x5xi16>, %arg2: memref<?x?xf64>, %arg3: memref<?x?xf64>, %arg4: memref<4xbf16>, %arg5: memref<2x4x3xbf16>):
    "linalg.transpose"(%arg0, %arg1) <{permutation = array<i64: 2, 0, 1>}> ({
    ^bb0(%arg6: i16, %arg7: i16):
      "linalg.yield"(%arg6) : (i16) -> ()
    }) : (memref<3x5x7xi16>, memref<7x3x5xi16>) -> ()
    "linalg.transpose"(%arg2, %arg3) <{permutation = array<i64: 1, 0>}> ({
    ^bb0(%arg6: f64, %arg7: f64):
      "linalg.yield"(%arg6) : (f64) -> ()
    }) : (memref<?x?xf64>, memref<?x?xf64>) -> ()
    "linalg.broadcast"(%arg4, %arg5) <{dimensions = array<i64: 0, 2>}> ({
    ^bb0(%arg6: bf16, %arg7: bf16):
      "linalg.yield"(%arg6) : (bf16) -> ()
    }) : (memref<4xbf16>, memref<2x4x3xbf16>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
