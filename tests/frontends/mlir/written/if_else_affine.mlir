#set0 = affine_set<(d0, d1)[s0] : (d0 - d1 - 1 >= 0, s0 - d0 - d1 - 1 >= 0)>
#set1 = affine_set<(d0, d1) : (d0 mod 2 == 0)>
func.func @f(%Y: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Y, %c0 : memref<?x?xi32>
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  affine.for %i = 0 to %n {
    affine.for %j = 0 to %n {
      %v = affine.if #set0(%i, %j)[%n] -> i32 {
        affine.yield %one : i32
      } else {
        %w = affine.if #set1(%i, %j) -> i32 {
          affine.yield %two : i32
        } else {
          affine.yield %three : i32
        }
        affine.yield %w : i32
      }
      affine.store %v, %Y[%i, %j] : memref<?x?xi32>
    }
  }
  return
}
