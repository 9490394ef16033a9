#loc2 = loc("<stdin>":2:14)
#loc3 = loc("<stdin>":2:35)
#loc4 = loc("<stdin>":2:57)
module {
  func.func @f(%arg0: memref<9x14xi8> loc("<stdin>":2:14), %arg1: memref<14x11xi8> loc("<stdin>":2:35), %arg2: memref<9x11xi32> loc("<stdin>":2:57)) {
    linalg.matmul ins(%arg0, %arg1 : memref<9x14xi8>, memref<14x11xi8>) outs(%arg2 : memref<9x11xi32>) loc(#loc5)
    return loc(#loc6)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc5 = loc("<stdin>":3:3)
#loc6 = loc("<stdin>":4:3)

