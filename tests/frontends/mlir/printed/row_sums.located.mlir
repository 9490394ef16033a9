#loc2 = loc("<stdin>":4:14)
#loc3 = loc("<stdin>":4:36)
#loc4 = loc("<stdin>":4:55)
#loc5 = loc("<stdin>":4:74)
#loc7 = loc("<stdin>":7:10)
#loc8 = loc("<stdin>":7:19)
#loc9 = loc("<stdin>":7:28)
#loc14 = loc("<stdin>":13:10)
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @f(%arg0: memref<9x11xf32> loc("<stdin>":4:14), %arg1: memref<9xf32> loc("<stdin>":4:36), %arg2: memref<9xf32> loc("<stdin>":4:55), %arg3: memref<9x11xi64> loc("<stdin>":4:74)) {
    linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : memref<9x11xf32>) outs(%arg1, %arg2 : memref<9xf32>, memref<9xf32>) {
    ^bb0(%in: f32 loc("<stdin>":7:10), %out: f32 loc("<stdin>":7:19), %out_0: f32 loc("<stdin>":7:28)):
      %0 = arith.addf %out, %in : f32 loc(#loc10)
      %1 = arith.maximumf %out_0, %in : f32 loc(#loc11)
      linalg.yield %0, %1 : f32, f32 loc(#loc12)
    } loc(#loc6)
    linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%arg3 : memref<9x11xi64>) {
    ^bb0(%out: i64 loc("<stdin>":13:10)):
      %0 = linalg.index 0 : index loc(#loc15)
      %1 = linalg.index 1 : index loc(#loc16)
      %c100 = arith.constant 100 : index loc(#loc17)
      %2 = arith.muli %0, %c100 : index loc(#loc18)
      %3 = arith.addi %2, %1 : index loc(#loc19)
      %4 = arith.index_cast %3 : index to i64 loc(#loc20)
      linalg.yield %4 : i64 loc(#loc21)
    } loc(#loc13)
    return loc(#loc22)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":4:1)
#loc6 = loc("<stdin>":5:3)
#loc10 = loc("<stdin>":8:12)
#loc11 = loc("<stdin>":9:12)
#loc12 = loc("<stdin>":10:7)
#loc13 = loc("<stdin>":12:3)
#loc15 = loc("<stdin>":14:12)
#loc16 = loc("<stdin>":15:12)
#loc17 = loc("<stdin>":16:12)
#loc18 = loc("<stdin>":17:12)
#loc19 = loc("<stdin>":18:12)
#loc20 = loc("<stdin>":19:12)
#loc21 = loc("<stdin>":20:7)
#loc22 = loc("<stdin>":22:3)

