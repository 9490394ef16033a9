#loc2 = loc("<stdin>":2:14)
#loc3 = loc("<stdin>":2:37)
#loc4 = loc("<stdin>":2:60)
module {
  func.func @f(%arg0: memref<16x32xf16> loc("<stdin>":2:14), %arg1: memref<32x24xf16> loc("<stdin>":2:37), %arg2: memref<16x24xf32> loc("<stdin>":2:60)) {
    linalg.matmul ins(%arg0, %arg1 : memref<16x32xf16>, memref<32x24xf16>) outs(%arg2 : memref<16x24xf32>) loc(#loc5)
    return loc(#loc6)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc5 = loc("<stdin>":3:3)
#loc6 = loc("<stdin>":4:3)

