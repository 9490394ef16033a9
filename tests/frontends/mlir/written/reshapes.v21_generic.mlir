#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map5 = affine_map<(d0) -> (d0)>
#map6 = affine_map<() -> (0)>
#map7 = affine_map<() -> (48)>
"builtin.module"() ({
  "func.func"() <{function_type = (tensor<2x3x8xf32>, tensor<8x6xf32>, tensor<?x?xf32>, index, memref<4x12xi32>, memref<?x6xi32>, tensor<f32>) -> (tensor<2x2x3x3xf32>, tensor<?xf32>, tensor<?x2x?xf32>, tensor<1x1xf32>), sym_name = "f"}> ({
  ^bb0(%arg0: tensor<2x3x8xf32>, %arg1: tensor<8x6xf32>, %arg2: tensor<?x?xf32>, %arg3: index, %arg4: memref<4x12xi32>, %arg5: memref<?x6xi32>, %arg6: tensor<f32>):
    %0 = "arith.constant"() <{value = 0 : index}> : () -> index
    %1 = "arith.constant"() <{value = 1 : index}> : () -> index
    %2 = "arith.constant"() <{value = 2 : index}> : () -> index
    %3 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %4 = "arith.constant"() <{value = dense<[1.000000e+00, -2.000000e+00, 3.000000e+00, 5.000000e-01, 2.500000e-01, 8.000000e+00]> : tensor<6xf32>}> : () -> tensor<6xf32>
    %5 = "arith.constant"() <{value = dense<[true, false, true, true, false, false]> : tensor<6xi1>}> : () -> tensor<6xi1>
    %6 = "tensor.collapse_shape"(%arg0) <{reassociation = [[0, 1], [2]]}> : (tensor<2x3x8xf32>) -> tensor<6x8xf32>
    %7 = "tensor.empty"() : () -> tensor<6x6xf32>
    %8 = "linalg.generic"(%4, %5, %7) <{indexing_maps = [#map, #map, #map1], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg13: f32, %arg14: i1, %arg15: f32):
      %27 = "arith.select"(%arg14, %arg13, %3) : (i1, f32, f32) -> f32
      "linalg.yield"(%27) : (f32) -> ()
    }) : (tensor<6xf32>, tensor<6xi1>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %9 = "linalg.matmul"(%6, %arg1, %8) <{indexing_maps = [#map2, #map3, #map4], operandSegmentSizes = array<i32: 2, 1>}> ({
    ^bb0(%arg10: f32, %arg11: f32, %arg12: f32):
      %25 = "arith.mulf"(%arg10, %arg11) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      %26 = "arith.addf"(%arg12, %25) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "linalg.yield"(%26) : (f32) -> ()
    }) : (tensor<6x8xf32>, tensor<8x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
    %10 = "tensor.expand_shape"(%9) <{reassociation = [[0, 1], [2, 3]], static_output_shape = array<i64: 2, 3, 2, 3>}> : (tensor<6x6xf32>) -> tensor<2x3x2x3xf32>
    %11 = "tensor.empty"() : () -> tensor<2x2x3x3xf32>
    %12 = "linalg.transpose"(%10, %11) <{permutation = array<i64: 0, 2, 1, 3>}> ({
    ^bb0(%arg8: f32, %arg9: f32):
      "linalg.yield"(%arg8) : (f32) -> ()
    }) : (tensor<2x3x2x3xf32>, tensor<2x2x3x3xf32>) -> tensor<2x2x3x3xf32>
    %13 = "tensor.collapse_shape"(%arg2) <{reassociation = [[0, 1]]}> : (tensor<?x?xf32>) -> tensor<?xf32>
    %14 = "tensor.dim"(%arg2, %0) : (tensor<?x?xf32>, index) -> index
    %15 = "arith.divsi"(%14, %2) : (index, index) -> index
    %16 = "tensor.dim"(%arg2, %1) : (tensor<?x?xf32>, index) -> index
    %17 = "tensor.expand_shape"(%arg2, %15, %16) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: -9223372036854775808, 2, -9223372036854775808>}> : (tensor<?x?xf32>, index, index) -> tensor<?x2x?xf32>
    %18 = "tensor.expand_shape"(%arg6) <{reassociation = [], static_output_shape = array<i64: 1, 1>}> : (tensor<f32>) -> tensor<1x1xf32>
    %19 = "memref.expand_shape"(%arg4) <{reassociation = [[0], [1, 2]], static_output_shape = array<i64: 4, 2, 6>}> : (memref<4x12xi32>) -> memref<4x2x6xi32>
    %20 = "memref.collapse_shape"(%19) <{reassociation = [[0, 1], [2]]}> : (memref<4x2x6xi32>) -> memref<8x6xi32>
    %21 = "memref.expand_shape"(%arg5, %arg3) <{reassociation = [[0, 1], [2]], static_output_shape = array<i64: -9223372036854775808, 2, 6>}> : (memref<?x6xi32>, index) -> memref<?x2x6xi32>
    %22 = "memref.collapse_shape"(%21) <{reassociation = [[0, 1, 2]]}> : (memref<?x2x6xi32>) -> memref<?xi32>
    %23 = "memref.collapse_shape"(%20) <{reassociation = [[0, 1]]}> : (memref<8x6xi32>) -> memref<48xi32>
    "affine.for"() <{lowerBoundMap = #map6, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map7}> ({
    ^bb0(%arg7: index):
      %24 = "affine.load"(%23, %arg7) <{map = #map5}> : (memref<48xi32>, index) -> i32
      "affine.store"(%24, %22, %arg7) <{map = #map5}> : (i32, memref<?xi32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"(%12, %13, %17, %18) : (tensor<2x2x3x3xf32>, tensor<?xf32>, tensor<?x2x?xf32>, tensor<1x1xf32>) -> ()
  }) : () -> ()
}) : () -> ()
