#loc2 = loc("<stdin>":3:9)
#set0 = affine_set<(d0, d1)[s0] : (d0 - d1 - 1 >= 0, -d0 + s0 - d1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 mod 2 == 0)>
module {
  func @f(%arg0: memref<?x?xi32> loc("<stdin>":3:9)) {
    %c0 = arith.constant 0 : index loc(#loc3)
    %0 = memref.dim %arg0, %c0 : memref<?x?xi32> loc(#loc4)
    %c1_i32 = arith.constant 1 : i32 loc(#loc5)
    %c2_i32 = arith.constant 2 : i32 loc(#loc6)
    %c3_i32 = arith.constant 3 : i32 loc(#loc7)
    affine.for %arg1 = 0 to %0 {
      affine.for %arg2 = 0 to %0 {
        %1 = affine.if #set0(%arg1, %arg2)[%0] -> i32 {
          affine.yield %c1_i32 : i32 loc(#loc11)
        } else {
          %2 = affine.if #set1(%arg1, %arg2) -> i32 {
            affine.yield %c2_i32 : i32 loc(#loc13)
          } else {
            affine.yield %c3_i32 : i32 loc(#loc14)
          } loc(#loc12)
          affine.yield %2 : i32 loc(#loc15)
        } loc(#loc10)
        affine.store %1, %arg0[%arg1, %arg2] : memref<?x?xi32> loc(#loc16)
      } loc(#loc9)
    } loc(#loc8)
    return loc(#loc17)
  } loc(#loc1)
} loc(#loc0)
#loc0 = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":3:1)
#loc3 = loc("<stdin>":4:9)
#loc4 = loc("<stdin>":5:8)
#loc5 = loc("<stdin>":6:10)
#loc6 = loc("<stdin>":7:10)
#loc7 = loc("<stdin>":8:12)
#loc8 = loc("<stdin>":9:3)
#loc9 = loc("<stdin>":10:5)
#loc10 = loc("<stdin>":11:12)
#loc11 = loc("<stdin>":12:9)
#loc12 = loc("<stdin>":14:14)
#loc13 = loc("<stdin>":15:11)
#loc14 = loc("<stdin>":17:11)
#loc15 = loc("<stdin>":19:9)
#loc16 = loc("<stdin>":21:7)
#loc17 = loc("<stdin>":24:3)

