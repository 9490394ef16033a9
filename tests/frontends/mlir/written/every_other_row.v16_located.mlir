#loc2 = loc("<stdin>":1:14)
#loc3 = loc("<stdin>":1:37)
#loc4 = loc("<stdin>":1:58)
module {
  func.func @f(%arg0: memref<10x12xf32> loc("<stdin>":1:14), %arg1: memref<6x7xf32> loc("<stdin>":1:37), %arg2: memref<5x7xf32> loc("<stdin>":1:58)) {
    %subview = memref.subview %arg0[0, 1] [5, 6] [2, 2] : memref<10x12xf32> to memref<5x6xf32, strided<[24, 2], offset: 1>> loc(#loc5)
    linalg.matmul ins(%subview, %arg1 : memref<5x6xf32, strided<[24, 2], offset: 1>>, memref<6x7xf32>) outs(%arg2 : memref<5x7xf32>) loc(#loc6)
    return loc(#loc7)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":1:1)
#loc5 = loc("<stdin>":2:8)
#loc6 = loc("<stdin>":3:3)
#loc7 = loc("<stdin>":4:3)

