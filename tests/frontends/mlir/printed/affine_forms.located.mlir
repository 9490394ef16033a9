#loc2 = loc("<stdin>":6:14)
#loc3 = loc("<stdin>":6:35)
#loc4 = loc("<stdin>":6:56)
#loc10 = loc("<stdin>":11:14)
#loc12 = loc("<stdin>":12:21)
#map = affine_map<(d0)[s0] -> (d0 - 3, 0)>
#map1 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#map2 = affine_map<(d0, d1)[s0] -> ((d0 * 2 + d1 * 3 - 5) mod s0)>
#map3 = affine_map<(d0)[s0] -> (d0 floordiv 2, s0 - 1)>
#map4 = affine_map<(d0) -> ((d0 - 9) ceildiv 4, 0)>
#set = affine_set<(d0, d1)[s0] : (d0 - d1 >= 0, -d0 + s0 - d1 - 1 >= 0)>
#set1 = affine_set<(d0) : (d0 mod 2 == 0)>
module {
  func.func @f(%arg0: memref<?x?xi64> loc("<stdin>":6:14), %arg1: memref<?x?xi64> loc("<stdin>":6:35), %arg2: memref<?xi64> loc("<stdin>":6:56)) {
    %c0 = arith.constant 0 : index loc(#loc5)
    %dim = memref.dim %arg0, %c0 : memref<?x?xi64> loc(#loc6)
    %c0_i64 = arith.constant 0 : i64 loc(#loc7)
    %c7_i64 = arith.constant 7 : i64 loc(#loc8)
    affine.for %arg3 loc("<stdin>":11:14) = 0 to %dim {
      %0 = affine.for %arg4 loc("<stdin>":12:21) = max #map(%arg3)[%dim] to min #map1(%arg3)[%dim] step 2 iter_args(%arg5 = %c0_i64) -> (i64) {
        %1 = affine.load %arg0[%arg3, %arg4] : memref<?x?xi64> loc(#loc13)
        %2 = affine.if #set(%arg3, %arg4)[%dim] -> i64 {
          %3 = arith.addi %arg5, %1 : i64 loc(#loc15)
          affine.yield %3 : i64 loc(#loc16)
        } else {
          %3 = arith.subi %arg5, %1 : i64 loc(#loc17)
          affine.yield %3 : i64 loc(#loc18)
        } loc(#loc14)
        affine.yield %2 : i64 loc(#loc19)
      } loc(#loc11)
      affine.store %0, %arg2[%arg3] : memref<?xi64> loc(#loc20)
      affine.if #set1(%arg3) {
        affine.store %c7_i64, %arg2[%arg3] : memref<?xi64> loc(#loc22)
      } loc(#loc21)
    } loc(#loc9)
    affine.parallel (%arg3, %arg4) = (0, 0) to (%dim, %dim) {
      %0 = affine.apply #map2(%arg3, %arg4)[%dim] loc(#loc24)
      %1 = affine.min #map3(%0)[%dim] loc(#loc25)
      %2 = affine.max #map4(%1) loc(#loc26)
      %3 = affine.load %arg0[%0, symbol(%dim) - 1] : memref<?x?xi64> loc(#loc27)
      %4 = memref.load %arg0[%1, %2] : memref<?x?xi64> loc(#loc28)
      %5 = arith.addi %3, %4 : i64 loc(#loc29)
      affine.store %5, %arg1[%arg3, %arg4] : memref<?x?xi64> loc(#loc30)
    } loc(#loc23)
    return loc(#loc31)
  } loc(#loc1)
} loc(#loc)
#loc = loc("<stdin>":0:0)
#loc1 = loc("<stdin>":6:1)
#loc5 = loc("<stdin>":7:9)
#loc6 = loc("<stdin>":8:8)
#loc7 = loc("<stdin>":9:11)
#loc8 = loc("<stdin>":10:12)
#loc9 = loc("<stdin>":11:3)
#loc11 = loc("<stdin>":12:10)
#loc13 = loc("<stdin>":13:12)
#loc14 = loc("<stdin>":14:12)
#loc15 = loc("<stdin>":15:14)
#loc16 = loc("<stdin>":16:9)
#loc17 = loc("<stdin>":18:14)
#loc18 = loc("<stdin>":19:9)
#loc19 = loc("<stdin>":21:7)
#loc20 = loc("<stdin>":23:5)
#loc21 = loc("<stdin>":24:5)
#loc22 = loc("<stdin>":25:7)
#loc23 = loc("<stdin>":28:3)
#loc24 = loc("<stdin>":29:10)
#loc25 = loc("<stdin>":30:10)
#loc26 = loc("<stdin>":31:10)
#loc27 = loc("<stdin>":32:10)
#loc28 = loc("<stdin>":33:10)
#loc29 = loc("<stdin>":34:10)
#loc30 = loc("<stdin>":35:5)
#loc31 = loc("<stdin>":37:3)

