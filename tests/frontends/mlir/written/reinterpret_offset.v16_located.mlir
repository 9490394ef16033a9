#loc2 = loc("<stdin>":1:14)
#loc3 = loc("<stdin>":1:35)
#loc4 = loc("<stdin>":1:46)
module {
  func.func @f(%arg0: memref<4x6xf32> loc("<stdin>":1:14), %arg1: index loc("<stdin>":1:35), %arg2: memref<2x3xf32> loc("<stdin>":1:46)) {
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [%arg1], sizes: [2, 3], strides: [7, 2] : memref<4x6xf32> to memref<2x3xf32, strided<[7, 2], offset: ?>> loc(#loc5)
    memref.copy %reinterpret_cast, %arg2 : memref<2x3xf32, strided<[7, 2], offset: ?>> to memref<2x3xf32> loc(#loc6)
    return loc(#loc7)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":1:1)
#loc5 = loc("<stdin>":2:8)
#loc6 = loc("<stdin>":3:3)
#loc7 = loc("<stdin>":4:3)

