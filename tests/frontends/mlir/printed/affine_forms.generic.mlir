#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0)[s0] -> (d0 - 3, 0)>
#map2 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#map3 = affine_map<(d0) -> (d0)>
#map4 = affine_map<() -> (0)>
#map5 = affine_map<()[s0] -> (s0)>
#map6 = affine_map<(d0, d1)[s0] -> ((d0 * 2 + d1 * 3 - 5) mod s0)>
#map7 = affine_map<(d0)[s0] -> (d0 floordiv 2, s0 - 1)>
#map8 = affine_map<(d0) -> ((d0 - 9) ceildiv 4, 0)>
#map9 = affine_map<(d0)[s0] -> (d0, s0 - 1)>
#map10 = affine_map<() -> (0, 0)>
#map11 = affine_map<(d0) -> (d0, d0)>
#set = affine_set<(d0, d1)[s0] : (d0 - d1 >= 0, -d0 + s0 - d1 - 1 >= 0)>
#set1 = affine_set<(d0) : (d0 mod 2 == 0)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x?xi64>, memref<?x?xi64>, memref<?xi64>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<?x?xi64>, %arg1: memref<?x?xi64>, %arg2: memref<?xi64>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "memref.dim"(%arg0, %0) : (memref<?x?xi64>, index) -> index
    %2 = "arith.constant"() <{value = 0 : i64}> : () -> i64
    %3 = "arith.constant"() <{value = 7 : i64}> : () -> i64
    "affine.for"(%1) <{lowerBoundMap = #map4, operandSegmentSizes = array<i32: 0, 1, 0>, step = 1 : index, upperBoundMap = #map5}> ({
    ^bb0(%arg5: index):
      %10 = "affine.for"(%arg5, %1, %arg5, %1, %2) <{lowerBoundMap = #map1, operandSegmentSizes = array<i32: 2, 2, 1>, step = 2 : index, upperBoundMap = #map2}> ({
      ^bb0(%arg6: index, %arg7: i64):
        %11 = "affine.load"(%arg0, %arg5, %arg6) <{map = #map}> : (memref<?x?xi64>, index, index) -> i64
        %12 = "affine.if"(%arg5, %arg6, %1) ({
          %14 = "arith.addi"(%arg7, %11) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
          "affine.yield"(%14) : (i64) -> ()
        }, {
          %13 = "arith.subi"(%arg7, %11) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
          "affine.yield"(%13) : (i64) -> ()
        }) {condition = #set} : (index, index, index) -> i64
        "affine.yield"(%12) : (i64) -> ()
      }) : (index, index, index, index, i64) -> i64
      "affine.store"(%10, %arg2, %arg5) <{map = #map3}> : (i64, memref<?xi64>, index) -> ()
      "affine.if"(%arg5) ({
        "affine.store"(%3, %arg2, %arg5) <{map = #map3}> : (i64, memref<?xi64>, index) -> ()
        "affine.yield"() : () -> ()
      }, {
      }) {condition = #set1} : (index) -> ()
      "affine.yield"() : () -> ()
    }) : (index) -> ()
    "affine.parallel"(%1) <{lowerBoundsGroups = dense<1> : tensor<2xi32>, lowerBoundsMap = #map10, reductions = [], steps = [1, 1], upperBoundsGroups = dense<1> : tensor<2xi32>, upperBoundsMap = #map11}> ({
    ^bb0(%arg3: index, %arg4: index):
      %4 = "affine.apply"(%arg3, %arg4, %1) <{map = #map6}> : (index, index, index) -> index
      %5 = "affine.min"(%4, %1) <{map = #map7}> : (index, index) -> index
      %6 = "affine.max"(%5) <{map = #map8}> : (index) -> index
      %7 = "affine.load"(%arg0, %4, %1) <{map = #map9}> : (memref<?x?xi64>, index, index) -> i64
      %8 = "memref.load"(%arg0, %5, %6) : (memref<?x?xi64>, index, index) -> i64
      %9 = "arith.addi"(%7, %8) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
      "affine.store"(%9, %arg1, %arg3, %arg4) <{map = #map}> : (i64, memref<?x?xi64>, index, index) -> ()
      "affine.yield"() : () -> ()
    }) : (index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

