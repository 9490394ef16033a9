#loc2 = loc("<stdin>":5:14)
#loc3 = loc("<stdin>":5:34)
#loc4 = loc("<stdin>":5:53)
#loc6 = loc("<stdin>":8:10)
#loc7 = loc("<stdin>":8:19)
#loc8 = loc("<stdin>":8:28)
#map = affine_map<(d0, d1) -> (d0 + d1)>
#map1 = affine_map<(d0, d1) -> (d1)>
#map2 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @f(%arg0: memref<20xf64> loc("<stdin>":5:14), %arg1: memref<5xf64> loc("<stdin>":5:34), %arg2: memref<16xf64> loc("<stdin>":5:53)) {
    linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "reduction"]} ins(%arg0, %arg1 : memref<20xf64>, memref<5xf64>) outs(%arg2 : memref<16xf64>) {
    ^bb0(%in: f64 loc("<stdin>":8:10), %in_0: f64 loc("<stdin>":8:19), %out: f64 loc("<stdin>":8:28)):
      %0 = arith.mulf %in, %in_0 : f64 loc(#loc9)
      %1 = arith.addf %out, %0 : f64 loc(#loc10)
      linalg.yield %1 : f64 loc(#loc11)
    } loc(#loc5)
    return loc(#loc12)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":5:1)
#loc5 = loc("<stdin>":6:3)
#loc9 = loc("<stdin>":9:12)
#loc10 = loc("<stdin>":10:12)
#loc11 = loc("<stdin>":11:7)
#loc12 = loc("<stdin>":13:3)

