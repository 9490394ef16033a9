#map = affine_map<()[s0] -> (s0 ceildiv 4)>
#map1 = affine_map<(d0) -> (d0 * 4)>
#map2 = affine_map<(d0)[s0] -> (4, -d0 + s0)>
#map3 = affine_map<(d0, d1) -> (d0 + d1)>
#map4 = affine_map<(d0) -> (d0 - 3, 0)>
#map5 = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#map6 = affine_map<(d0, d1)[s0] -> ((d0 * 2 + d1 * 3 - 5) mod s0)>
#map7 = affine_map<(d0)[s0] -> (d0 floordiv 2, s0 - 1)>
#map8 = affine_map<(d0) -> ((d0 - 9) ceildiv 4, 0)>
#set = affine_set<(d0, d1)[s0] : (d0 - d1 >= 0, -d0 + s0 - d1 - 1 >= 0)>
#set1 = affine_set<(d0) : (d0 mod 2 == 0)>
module {
  func.func @f(%arg0: memref<?x?xi64>, %arg1: memref<?x?xi64>, %arg2: memref<?xi64>) {
    %c7_i64 = arith.constant 7 : i64
    %c0_i64 = arith.constant 0 : i64
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xi64>
    affine.for %arg3 = 0 to #map()[%dim] {
      %0 = affine.apply #map1(%arg3)
      affine.for %arg4 = 0 to min #map2(%0)[%dim] {
        %1 = affine.apply #map3(%0, %arg4)
        %2 = affine.for %arg5 = max #map4(%1) to min #map5(%1)[%dim] step 2 iter_args(%arg6 = %c0_i64) -> (i64) {
          %3 = affine.load %arg0[%1, %arg5] : memref<?x?xi64>
          %4 = affine.if #set(%1, %arg5)[%dim] -> i64 {
            %5 = arith.addi %arg6, %3 : i64
            affine.yield %5 : i64
          } else {
            %5 = arith.subi %arg6, %3 : i64
            affine.yield %5 : i64
          }
          affine.yield %4 : i64
        }
        affine.store %2, %arg2[%1] : memref<?xi64>
        affine.if #set1(%1) {
          affine.store %c7_i64, %arg2[%1] : memref<?xi64>
        }
      }
    }
    affine.parallel (%arg3, %arg4) = (0, 0) to (symbol(%dim), symbol(%dim)) {
      %0 = affine.apply #map6(%arg3, %arg4)[%dim]
      %1 = affine.min #map7(%0)[%dim]
      %2 = affine.max #map8(%1)
      %3 = affine.load %arg0[%0, symbol(%dim) - 1] : memref<?x?xi64>
      %4 = memref.load %arg0[%1, %2] : memref<?x?xi64>
      %5 = arith.addi %3, %4 : i64
      affine.store %5, %arg1[%arg3, %arg4] : memref<?x?xi64>
    }
    return
  }
}

