// C += A B of any size in memory of one dimension, positions by affine.apply.
#at = affine_map<(i, j)[n] -> (i * n + j)>
func.func @f(%A: memref<?xf64>, %B: memref<?xf64>, %C: memref<?xf64>, %m: index, %n: index, %k: index) {
  affine.for %i = 0 to %m {
    affine.for %j = 0 to %n {
      affine.for %l = 0 to %k {
        %ik = affine.apply #at(%i, %l)[%k]
        %kj = affine.apply #at(%l, %j)[%n]
        %ij = affine.apply #at(%i, %j)[%n]
        %a = memref.load %A[%ik] : memref<?xf64>
        %b = memref.load %B[%kj] : memref<?xf64>
        %c = memref.load %C[%ij] : memref<?xf64>
        %p = arith.mulf %a, %b : f64
        %s = arith.addf %c, %p : f64
        memref.store %s, %C[%ij] : memref<?xf64>
      }
    }
  }
  return
}
