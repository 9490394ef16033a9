// C += A B with leading dimensions, as in BLAS: scf loops, positions computed in arith, a sum that a loop carries.
func.func @f(%A: memref<?xi32>, %B: memref<?xi32>, %C: memref<?xi32>, %m: index, %n: index, %k: index,
             %lda: index, %ldb: index, %ldc: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %m step %c1 {
    %row_a = arith.muli %i, %lda : index
    %row_c = arith.muli %i, %ldc : index
    scf.for %j = %c0 to %n step %c1 {
      %ij = arith.addi %row_c, %j : index
      %c = memref.load %C[%ij] : memref<?xi32>
      %sum = scf.for %l = %c0 to %k step %c1 iter_args(%s = %c) -> (i32) {
        %ik = arith.addi %row_a, %l : index
        %row_b = arith.muli %l, %ldb : index
        %kj = arith.addi %row_b, %j : index
        %a = memref.load %A[%ik] : memref<?xi32>
        %b = memref.load %B[%kj] : memref<?xi32>
        %p = arith.muli %a, %b : i32
        %t = arith.addi %s, %p : i32
        scf.yield %t : i32
      }
      memref.store %sum, %C[%ij] : memref<?xi32>
    }
  }
  return
}
