#map0 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: tensor<?x6xf32>, %arg1: tensor<6x8xf32>, %arg2: tensor<8xf32>, %arg3: tensor<8x3xf32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "tensor.dim"(%arg0, %0) : (tensor<?x6xf32>, index) -> index
    %2 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %3 = "linalg.init_tensor"(%1) {static_sizes = [-1, 8]} : (index) -> tensor<?x8xf32>
    %4 = "linalg.fill"(%2, %3) ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (f32, tensor<?x8xf32>) -> tensor<?x8xf32>
    %5 = "linalg.matmul"(%arg0, %arg1, %4) ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %10 = "arith.mulf"(%arg4, %arg5) : (f32, f32) -> f32
      %11 = "arith.addf"(%arg6, %10) : (f32, f32) -> f32
      "linalg.yield"(%11) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map0, #map1, #map2], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (tensor<?x6xf32>, tensor<6x8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %6 = "linalg.generic"(%5, %arg2, %3) ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %10 = "arith.addf"(%arg4, %arg5) : (f32, f32) -> f32
      %11 = "arith.maxf"(%10, %2) : (f32, f32) -> f32
      "linalg.yield"(%11) : (f32) -> ()
    }) {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (tensor<?x8xf32>, tensor<8xf32>, tensor<?x8xf32>) -> tensor<?x8xf32>
    %7 = "linalg.init_tensor"(%1) {static_sizes = [-1, 3]} : (index) -> tensor<?x3xf32>
    %8 = "linalg.fill"(%2, %7) ({
    ^bb0(%arg4: f32, %arg5: f32):
      "linalg.yield"(%arg4) : (f32) -> ()
    }) : (f32, tensor<?x3xf32>) -> tensor<?x3xf32>
    %9 = "linalg.matmul"(%6, %arg3, %8) ({
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %10 = "arith.mulf"(%arg4, %arg5) : (f32, f32) -> f32
      %11 = "arith.addf"(%arg6, %10) : (f32, f32) -> f32
      "linalg.yield"(%11) : (f32) -> ()
    }) {linalg.memoized_indexing_maps = [#map0, #map1, #map2], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (tensor<?x8xf32>, tensor<8x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
    "std.return"(%9) : (tensor<?x3xf32>) -> ()
  }) {sym_name = "f", type = (tensor<?x6xf32>, tensor<6x8xf32>, tensor<8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>} : () -> ()
}) : () -> ()

