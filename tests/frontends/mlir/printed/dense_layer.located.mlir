#loc2 = loc("<stdin>":4:14)
#loc3 = loc("<stdin>":4:37)
#loc4 = loc("<stdin>":4:60)
#loc5 = loc("<stdin>":4:80)
#loc10 = loc("<stdin>":10:10)
#loc11 = loc("<stdin>":10:19)
#map = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @f(%arg0: memref<10x12xf32> loc("<stdin>":4:14), %arg1: memref<12x14xf32> loc("<stdin>":4:37), %arg2: memref<14xf32> loc("<stdin>":4:60), %arg3: memref<10x14xf32> loc("<stdin>":4:80)) {
    %cst = arith.constant 0.000000e+00 : f32 loc(#loc6)
    linalg.fill ins(%cst : f32) outs(%arg3 : memref<10x14xf32>) loc(#loc7)
    linalg.matmul ins(%arg0, %arg1 : memref<10x12xf32>, memref<12x14xf32>) outs(%arg3 : memref<10x14xf32>) loc(#loc8)
    linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : memref<14xf32>) outs(%arg3 : memref<10x14xf32>) {
    ^bb0(%in: f32 loc("<stdin>":10:10), %out: f32 loc("<stdin>":10:19)):
      %0 = arith.addf %out, %in : f32 loc(#loc12)
      %1 = arith.maximumf %0, %cst : f32 loc(#loc13)
      linalg.yield %1 : f32 loc(#loc14)
    } loc(#loc9)
    return loc(#loc15)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":4:1)
#loc6 = loc("<stdin>":5:11)
#loc7 = loc("<stdin>":6:3)
#loc8 = loc("<stdin>":7:3)
#loc9 = loc("<stdin>":8:3)
#loc12 = loc("<stdin>":11:12)
#loc13 = loc("<stdin>":12:12)
#loc14 = loc("<stdin>":13:7)
#loc15 = loc("<stdin>":15:3)

