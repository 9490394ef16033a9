#loc2 = loc("<stdin>":2:14)
#loc3 = loc("<stdin>":2:36)
#loc4 = loc("<stdin>":2:57)
#loc5 = loc("<stdin>":2:79)
#loc6 = loc("<stdin>":2:100)
module {
  func.func @f(%arg0: memref<6x10xf32> loc("<stdin>":2:14), %arg1: memref<6x8xf32> loc("<stdin>":2:36), %arg2: memref<10x8xf32> loc("<stdin>":2:57), %arg3: memref<7x8xf32> loc("<stdin>":2:79), %arg4: memref<10x7xf32> loc("<stdin>":2:100)) {
    linalg.matmul_transpose_a ins(%arg0, %arg1 : memref<6x10xf32>, memref<6x8xf32>) outs(%arg2 : memref<10x8xf32>) loc(#loc7)
    linalg.matmul_transpose_b ins(%arg2, %arg3 : memref<10x8xf32>, memref<7x8xf32>) outs(%arg4 : memref<10x7xf32>) loc(#loc8)
    return loc(#loc9)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":2:1)
#loc7 = loc("<stdin>":3:3)
#loc8 = loc("<stdin>":4:3)
#loc9 = loc("<stdin>":5:3)

