#loc2 = loc("<stdin>":1:14)
#loc3 = loc("<stdin>":1:34)
#loc4 = loc("<stdin>":1:55)
module {
  func.func @f(%arg0: memref<6x5xi8> loc("<stdin>":1:14), %arg1: memref<5x9xi16> loc("<stdin>":1:34), %arg2: memref<6x9xi32> loc("<stdin>":1:55)) {
    linalg.matmul ins(%arg0, %arg1 : memref<6x5xi8>, memref<5x9xi16>) outs(%arg2 : memref<6x9xi32>) loc(#loc5)
    return loc(#loc6)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":1:1)
#loc5 = loc("<stdin>":2:3)
#loc6 = loc("<stdin>":3:3)

