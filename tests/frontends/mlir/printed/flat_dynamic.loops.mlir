#map = affine_map<(d0, d1)[s0] -> (d0 * s0 + d1)>
#map1 = affine_map<() -> (0)>
#map2 = affine_map<()[s0] -> (s0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?xf64>, memref<?xf64>, memref<?xf64>, index, index, index) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?xf64>, %arg1: memref<?xf64>, %arg2: memref<?xf64>, %arg3: index, %arg4: index, %arg5: index):
    "affine.for"(%arg3) <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = #map2}> ({
    ^bb0(%arg6: index):
      "affine.for"(%arg4) <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = #map2}> ({
      ^bb0(%arg7: index):
        "affine.for"(%arg5) <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = #map2}> ({
        ^bb0(%arg8: index):
          %0 = "affine.apply"(%arg6, %arg8, %arg5) <{map = #map}> : (index, index, index) -> index
          %1 = "affine.apply"(%arg8, %arg7, %arg4) <{map = #map}> : (index, index, index) -> index
          %2 = "affine.apply"(%arg6, %arg7, %arg4) <{map = #map}> : (index, index, index) -> index
          %3 = "memref.load"(%arg0, %0) : (memref<?xf64>, index) -> f64
          %4 = "memref.load"(%arg1, %1) : (memref<?xf64>, index) -> f64
          %5 = "memref.load"(%arg2, %2) : (memref<?xf64>, index) -> f64
          %6 = "arith.mulf"(%3, %4) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
          %7 = "arith.addf"(%5, %6) <{fastmath = #arith.fastmath<none>}> : (f64, f64) -> f64
          "memref.store"(%7, %arg2, %2) : (f64, memref<?xf64>, index) -> ()
          "affine.yield"() : () -> ()
        }) : (index) -> ()
        "affine.yield"() : () -> ()
      }) : (index) -> ()
      "affine.yield"() : () -> ()
    }) : (index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

