#map0 = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
"builtin.module"() ({
  "builtin.func"() ({
  ^bb0(%arg0: tensor<?x?xf32>):
    %0 = "arith.constant"() {value = 0 : index} : () -> index
    %1 = "arith.constant"() {value = 1 : index} : () -> index
    %2 = "tensor.dim"(%arg0, %0) : (tensor<?x?xf32>, index) -> index
    %3 = "tensor.dim"(%arg0, %1) : (tensor<?x?xf32>, index) -> index
    %4 = "arith.constant"() {value = 0xFF800000 : f32} : () -> f32
    %5 = "arith.constant"() {value = 0.000000e+00 : f32} : () -> f32
    %6 = "linalg.init_tensor"(%2) {static_sizes = [-1]} : (index) -> tensor<?xf32>
    %7 = "linalg.fill"(%4, %6) ({
    ^bb0(%arg1: f32, %arg2: f32):
      "linalg.yield"(%arg1) : (f32) -> ()
    }) : (f32, tensor<?xf32>) -> tensor<?xf32>
    %8 = "linalg.generic"(%arg0, %7) ({
    ^bb0(%arg1: f32, %arg2: f32):
      %16 = "arith.maxf"(%arg1, %arg2) : (f32, f32) -> f32
      "linalg.yield"(%16) : (f32) -> ()
    }) {indexing_maps = [#map0, #map1], iterator_types = ["parallel", "reduction"], operand_segment_sizes = dense<1> : vector<2xi32>} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %9 = "linalg.init_tensor"(%2, %3) {static_sizes = [-1, -1]} : (index, index) -> tensor<?x?xf32>
    %10 = "linalg.generic"(%arg0, %8, %9) ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %16 = "arith.subf"(%arg1, %arg2) : (f32, f32) -> f32
      %17 = "math.exp"(%16) : (f32) -> f32
      "linalg.yield"(%17) : (f32) -> ()
    }) {indexing_maps = [#map0, #map1, #map0], iterator_types = ["parallel", "parallel"], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    %11 = "linalg.init_tensor"(%2) {static_sizes = [-1]} : (index) -> tensor<?xf32>
    %12 = "linalg.fill"(%5, %11) ({
    ^bb0(%arg1: f32, %arg2: f32):
      "linalg.yield"(%arg1) : (f32) -> ()
    }) : (f32, tensor<?xf32>) -> tensor<?xf32>
    %13 = "linalg.generic"(%10, %12) ({
    ^bb0(%arg1: f32, %arg2: f32):
      %16 = "arith.addf"(%arg1, %arg2) : (f32, f32) -> f32
      "linalg.yield"(%16) : (f32) -> ()
    }) {indexing_maps = [#map0, #map1], iterator_types = ["parallel", "reduction"], operand_segment_sizes = dense<1> : vector<2xi32>} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?xf32>
    %14 = "linalg.init_tensor"(%2, %3) {static_sizes = [-1, -1]} : (index, index) -> tensor<?x?xf32>
    %15 = "linalg.generic"(%10, %13, %14) ({
    ^bb0(%arg1: f32, %arg2: f32, %arg3: f32):
      %16 = "arith.divf"(%arg1, %arg2) : (f32, f32) -> f32
      "linalg.yield"(%16) : (f32) -> ()
    }) {indexing_maps = [#map0, #map1, #map0], iterator_types = ["parallel", "parallel"], operand_segment_sizes = dense<[2, 1]> : vector<2xi32>} : (tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    "std.return"(%15) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "f", type = (tensor<?x?xf32>) -> tensor<?x?xf32>} : () -> ()
}) : () -> ()

