#loc2 = loc("<stdin>":1:14)
#loc3 = loc("<stdin>":1:64)
#loc5 = loc("<stdin>":2:14)
#loc7 = loc("<stdin>":3:16)
module {
  func.func @f(%arg0: memref<5x7xf32, strided<[10, 1], offset: 3>> loc("<stdin>":1:14), %arg1: memref<7x5xf32, strided<[1, 7]>> loc("<stdin>":1:64)) {
    affine.for %arg2 loc("<stdin>":2:14) = 0 to 5 {
      affine.for %arg3 loc("<stdin>":3:16) = 0 to 7 {
        %0 = affine.load %arg0[%arg2, %arg3] : memref<5x7xf32, strided<[10, 1], offset: 3>> loc(#loc8)
        affine.store %0, %arg1[%arg3, %arg2] : memref<7x5xf32, strided<[1, 7]>> loc(#loc9)
      } loc(#loc6)
    } loc(#loc4)
    return loc(#loc10)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":1:1)
#loc4 = loc("<stdin>":2:3)
#loc6 = loc("<stdin>":3:5)
#loc8 = loc("<stdin>":4:12)
#loc9 = loc("<stdin>":5:7)
#loc10 = loc("<stdin>":8:3)

