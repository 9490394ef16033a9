#loc2 = loc("contract_layer.mlir":4:14)
#loc3 = loc("contract_layer.mlir":4:35)
#loc4 = loc("contract_layer.mlir":4:56)
#loc5 = loc("contract_layer.mlir":4:78)
#map = affine_map<(d0, d1, d2) -> (d2, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @f(%arg0: memref<?x?xf16> loc("contract_layer.mlir":4:14), %arg1: memref<?x?xf16> loc("contract_layer.mlir":4:35), %arg2: memref<?xf32> loc("contract_layer.mlir":4:56), %arg3: memref<?x?xf32> loc("contract_layer.mlir":4:78)) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc6)
    linalg.fill ins(%cst : f32) outs(%arg3 : memref<?x?xf32>) loc(#loc7)
    linalg.contract indexing_maps = [#map, #map1, #map2] ins(%arg0, %arg1 : memref<?x?xf16>, memref<?x?xf16>) outs(%arg3 : memref<?x?xf32>) loc(#loc8)
    linalg.elementwise kind=#linalg.elementwise_kind<add> indexing_maps = [#map3, #map4, #map3] ins(%arg3, %arg2 : memref<?x?xf32>, memref<?xf32>) outs(%arg3 : memref<?x?xf32>) loc(#loc9)
    linalg.elementwise kind=#linalg.elementwise_kind<tanh> ins(%arg3 : memref<?x?xf32>) outs(%arg3 : memref<?x?xf32>) loc(#loc10)
    return loc(#loc11)
  } loc(#loc1)
} loc(#loc)
#loc = loc("contract_layer.mlir":0:0)
#loc1 = loc("contract_layer.mlir":4:1)
#loc6 = loc("contract_layer.mlir":5:11)
#loc7 = loc("contract_layer.mlir":6:3)
#loc8 = loc("contract_layer.mlir":7:3)
#loc9 = loc("contract_layer.mlir":8:3)
#loc10 = loc("contract_layer.mlir":9:3)
#loc11 = loc("contract_layer.mlir":10:3)
