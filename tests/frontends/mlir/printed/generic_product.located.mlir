#loc2 = loc("<stdin>":5:14)
#loc3 = loc("<stdin>":5:37)
#loc4 = loc("<stdin>":5:60)
#loc6 = loc("<stdin>":8:10)
#loc7 = loc("<stdin>":8:20)
#loc8 = loc("<stdin>":8:30)
#map = affine_map<(d0, d1, d2) -> (d2, d0)>
#map1 = affine_map<(d0, d1, d2) -> (d2, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func.func @f(%arg0: memref<10x6xbf16> loc("<stdin>":5:14), %arg1: memref<10x8xbf16> loc("<stdin>":5:37), %arg2: memref<6x8xf32> loc("<stdin>":5:60)) {
    linalg.generic {indexing_maps = [#map, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<10x6xbf16>, memref<10x8xbf16>) outs(%arg2 : memref<6x8xf32>) {
    ^bb0(%in: bf16 loc("<stdin>":8:10), %in_0: bf16 loc("<stdin>":8:20), %out: f32 loc("<stdin>":8:30)):
      %0 = arith.extf %in : bf16 to f32 loc(#loc9)
      %1 = arith.extf %in_0 : bf16 to f32 loc(#loc10)
      %2 = arith.mulf %0, %1 : f32 loc(#loc11)
      %3 = arith.addf %out, %2 : f32 loc(#loc12)
      linalg.yield %3 : f32 loc(#loc13)
    } loc(#loc5)
    return loc(#loc14)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":5:1)
#loc5 = loc("<stdin>":6:3)
#loc9 = loc("<stdin>":9:12)
#loc10 = loc("<stdin>":10:12)
#loc11 = loc("<stdin>":11:12)
#loc12 = loc("<stdin>":12:12)
#loc13 = loc("<stdin>":13:7)
#loc14 = loc("<stdin>":15:3)

