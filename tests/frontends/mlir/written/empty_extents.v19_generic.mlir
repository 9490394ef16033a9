#map = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x?xf64>, %arg1: memref<?x?xf64>, %arg2: memref<?x?xf64>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "memref.dim"(%arg2, %0) : (memref<?x?xf64>, index) -> index
    %3 = "memref.dim"(%arg2, %1) : (memref<?x?xf64>, index) -> index
    %4 = "memref.alloc"(%2, %3) <{operandSegmentSizes = array<i32: 2, 0>}> : (index, index) -> memref<?x?xf64>
    "memref.copy"(%arg2, %4) : (memref<?x?xf64>, memref<?x?xf64>) -> ()
    "linalg.matmul"(%arg0, %arg1, %4) <{operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg3: f64, %arg4: f64, %arg5: f64):
      %5 = "arith.mulf"(%arg3, %arg4) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      %6 = "arith.addf"(%arg5, %5) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
      "linalg.yield"(%6) : (f64) -> ()
    }) {linalg.memoized_indexing_maps = [#map, #map1, #map2]} : (memref<?x?xf64>, memref<?x?xf64>, memref<?x?xf64>) -> ()
    "memref.copy"(%4, %arg2) : (memref<?x?xf64>, memref<?x?xf64>) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

