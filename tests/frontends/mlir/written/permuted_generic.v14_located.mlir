#loc2 = loc("<stdin>":4:9)
#loc3 = loc("<stdin>":4:30)
#loc4 = loc("<stdin>":4:51)
#loc6 = loc("<stdin>":7:8)
#loc7 = loc("<stdin>":7:17)
#loc8 = loc("<stdin>":7:26)
#map0 = affine_map<(d0, d1, d2) -> (d2, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d1, d0)>
module {
  func @f(%arg0: memref<?x?xf32> loc("<stdin>":4:9), %arg1: memref<?x?xf32> loc("<stdin>":4:30), %arg2: memref<?x?xf32> loc("<stdin>":4:51)) {
    linalg.generic {indexing_maps = [#map0, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<?x?xf32>, memref<?x?xf32>) outs(%arg2 : memref<?x?xf32>) {
    ^bb0(%arg3: f32 loc("<stdin>":7:8), %arg4: f32 loc("<stdin>":7:17), %arg5: f32 loc("<stdin>":7:26)):
      %0 = arith.mulf %arg4, %arg3 : f32 loc(#loc9)
      %1 = arith.addf %0, %arg5 : f32 loc(#loc10)
      linalg.yield %1 : f32 loc(#loc11)
    } loc(#loc5)
    return loc(#loc12)
  } loc(#loc1)
} loc(#loc0)
#loc0 = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":4:1)
#loc5 = loc("<stdin>":5:3)
#loc9 = loc("<stdin>":8:10)
#loc10 = loc("<stdin>":9:10)
#loc11 = loc("<stdin>":10:5)
#loc12 = loc("<stdin>":12:3)

