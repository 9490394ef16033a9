#loc2 = loc("<stdin>":4:14)
#loc3 = loc("<stdin>":4:37)
#loc4 = loc("<stdin>":4:58)
#loc6 = loc("<stdin>":7:8)
#loc7 = loc("<stdin>":7:17)
#loc8 = loc("<stdin>":7:26)
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d3, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
module {
  func.func @f(%arg0: memref<?x?x?xf32> loc("<stdin>":4:14), %arg1: memref<?x?xf32> loc("<stdin>":4:37), %arg2: memref<?x?x?xf32> loc("<stdin>":4:58)) {
    linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<?x?x?xf32>, memref<?x?xf32>) outs(%arg2 : memref<?x?x?xf32>) {
    ^bb0(%in: f32 loc("<stdin>":7:8), %in_0: f32 loc("<stdin>":7:17), %out: f32 loc("<stdin>":7:26)):
      %0 = arith.mulf %in, %in_0 : f32 loc(#loc9)
      %1 = arith.addf %out, %0 : f32 loc(#loc10)
      linalg.yield %1 : f32 loc(#loc11)
    } loc(#loc5)
    return loc(#loc12)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":4:1)
#loc5 = loc("<stdin>":5:3)
#loc9 = loc("<stdin>":8:10)
#loc10 = loc("<stdin>":9:10)
#loc11 = loc("<stdin>":10:5)
#loc12 = loc("<stdin>":12:3)

