#loc2 = loc("<stdin>":3:14)
#loc3 = loc("<stdin>":3:27)
#loc4 = loc("<stdin>":3:40)
module {
  func.func @f(%arg0: memref<?x?xf64, strided<[?, 1], offset: ?>> loc("<stdin>":3:14), %arg1: memref<?x?xf64, strided<[?, 1], offset: ?>> loc("<stdin>":3:27), %arg2: memref<?x?xf64, strided<[?, 1], offset: ?>> loc("<stdin>":3:40)) {
    %cst = arith.constant 0.000000e+00 : f64 loc(#loc5)
    linalg.fill ins(%cst : f64) outs(%arg2 : memref<?x?xf64, strided<[?, 1], offset: ?>>) loc(#loc6)
    linalg.matmul ins(%arg0, %arg1 : memref<?x?xf64, strided<[?, 1], offset: ?>>, memref<?x?xf64, strided<[?, 1], offset: ?>>) outs(%arg2 : memref<?x?xf64, strided<[?, 1], offset: ?>>) loc(#loc7)
    return loc(#loc8)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":3:1)
#loc5 = loc("<stdin>":4:11)
#loc6 = loc("<stdin>":5:3)
#loc7 = loc("<stdin>":6:3)
#loc8 = loc("<stdin>":7:3)

