#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<?x?xf32>, index, vector<8xf32>, vector<[4]xf32>, vector<8xi1>, f32, vector<2x[4]xi32>) -> f32, sym_name = "vectors"}> ({
  ^bb0(%arg0: memref<?x?xf32>, %arg1: index, %arg2: vector<8xf32>, %arg3: vector<[4]xf32>, %arg4: vector<8xi1>, %arg5: f32, %arg6: vector<2x[4]xi32>):
    %0 = "arith.constant"() <{value = 0.000000e+00 : f32}> : () -> f32
    %1 = "vector.transfer_read"(%arg0, %arg1, %arg1, %0) <{in_bounds = [true], operandSegmentSizes = array<i32: 1, 2, 1, 0>, permutation_map = #map}> : (memref<?x?xf32>, index, index, f32) -> vector<8xf32>
    %2 = "vector.transfer_read"(%arg0, %arg1, %arg1, %0) <{in_bounds = [false, true], operandSegmentSizes = array<i32: 1, 2, 1, 0>, permutation_map = #map1}> : (memref<?x?xf32>, index, index, f32) -> vector<8x4xf32>
    %3 = "vector.fma"(%1, %arg2, %arg2) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
    %4 = "vector.broadcast"(%arg5) : (f32) -> vector<4x8xf32>
    %5 = "vector.shuffle"(%3, %arg2) <{mask = [0, 8, 1, 9, 2, 10]}> : (vector<8xf32>, vector<8xf32>) -> vector<6xf32>
    %6 = "vector.reduction"(%3, %arg5) <{fastmath = #arith.fastmath<reassoc>, kind = #vector.kind<add>}> : (vector<8xf32>, f32) -> f32
    %7 = "arith.constant"() <{value = dense<0.000000e+00> : vector<4x4xf32>}> : () -> vector<4x4xf32>
    %8 = "vector.contract"(%4, %2, %7) <{indexing_maps = [#map2, #map3, #map4], iterator_types = [#vector.iterator_type<parallel>, #vector.iterator_type<parallel>, #vector.iterator_type<reduction>], kind = #vector.kind<add>}> : (vector<4x8xf32>, vector<8x4xf32>, vector<4x4xf32>) -> vector<4x4xf32>
    %9 = "vector.extract"(%8) <{static_position = array<i64: 1, 2>}> : (vector<4x4xf32>) -> f32
    %10 = "vector.maskedload"(%arg0, %arg1, %arg1, %arg4, %arg2) : (memref<?x?xf32>, index, index, vector<8xi1>, vector<8xf32>) -> vector<8xf32>
    %11 = "arith.addf"(%arg3, %arg3) <{fastmath = #arith.fastmath<none>}> : (vector<[4]xf32>, vector<[4]xf32>) -> vector<[4]xf32>
    %12 = "arith.constant"() <{value = dense<[1, 2, 3, 4]> : vector<4xi64>}> : () -> vector<4xi64>
    %13 = "vector.create_mask"(%arg1) : (index) -> vector<[4]xi1>
    %14 = "arith.constant"() <{value = dense<1.000000e+00> : vector<f32>}> : () -> vector<f32>
    %15 = "vector.outerproduct"(%3, %arg2) <{kind = #vector.kind<add>}> : (vector<8xf32>, vector<8xf32>) -> vector<8x8xf32>
    "vector.transfer_write"(%10, %arg0, %arg1, %arg1) <{in_bounds = [false], operandSegmentSizes = array<i32: 1, 1, 2, 0>, permutation_map = #map}> : (vector<8xf32>, memref<?x?xf32>, index, index) -> ()
    "vector.print"(%6) <{punctuation = #vector.punctuation<newline>}> : (f32) -> ()
    "func.return"(%9) : (f32) -> ()
  }) : () -> ()
}) : () -> ()

