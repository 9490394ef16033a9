#set = affine_set<(d0, d1)[s0] : (d0 - d1 - 1 >= 0, -d0 + s0 - d1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 mod 2 == 0)>
module {
  func.func @f(%arg0: memref<?x?xi32>) {
    %c0 = arith.constant 0 : index
    %dim = memref.dim %arg0, %c0 : memref<?x?xi32>
    %c1_i32 = arith.constant 1 : i32
    %c2_i32 = arith.constant 2 : i32
    %c3_i32 = arith.constant 3 : i32
    affine.for %arg1 = 0 to %dim {
      affine.for %arg2 = 0 to %dim {
        %0 = affine.if #set(%arg1, %arg2)[%dim] -> i32 {
          affine.yield %c1_i32 : i32
        } else {
          %1 = affine.if #set1(%arg1, %arg2) -> i32 {
            affine.yield %c2_i32 : i32
          } else {
            affine.yield %c3_i32 : i32
          }
          affine.yield %1 : i32
        }
        affine.store %0, %arg0[%arg1, %arg2] : memref<?x?xi32>
      }
    }
    return
  }
}

