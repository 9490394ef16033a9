// Every construct of affine: bounds of several results, steps, iter_args, if, apply, min, max, parallel.
#lower = affine_map<(d0)[s0] -> (d0 - 3, 0)>
#upper = affine_map<(d0)[s0] -> (d0 + 4, s0)>
#inside = affine_set<(i, j)[n] : (i - j >= 0, n - i - j - 1 >= 0)>
#even = affine_set<(i) : (i mod 2 == 0)>
func.func @f(%X: memref<?x?xi64>, %Y: memref<?x?xi64>, %S: memref<?xi64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?x?xi64>
  %zero = arith.constant 0 : i64
  %seven = arith.constant 7 : i64
  affine.for %i = 0 to %n {
    %r = affine.for %j = max #lower(%i)[%n] to min #upper(%i)[%n] step 2 iter_args(%s = %zero) -> (i64) {
      %x = affine.load %X[%i, %j] : memref<?x?xi64>
      %t = affine.if #inside(%i, %j)[%n] -> i64 {
        %u = arith.addi %s, %x : i64
        affine.yield %u : i64
      } else {
        %u = arith.subi %s, %x : i64
        affine.yield %u : i64
      }
      affine.yield %t : i64
    }
    affine.store %r, %S[%i] : memref<?xi64>
    affine.if #even(%i) {
      affine.store %seven, %S[%i] : memref<?xi64>
    }
  }
  affine.parallel (%i, %j) = (0, 0) to (%n, %n) step (1, 1) {
    %p = affine.apply affine_map<(a, b)[s] -> ((a * 2 + b * 3 - 5) mod s)>(%i, %j)[%n]
    %q = affine.min affine_map<(a)[s] -> (a floordiv 2, s - 1)>(%p)[%n]
    %w = affine.max affine_map<(a) -> ((a - 9) ceildiv 4, 0)>(%q)
    %x = affine.load %X[%p, symbol(%n) - 1] : memref<?x?xi64>
    %y = memref.load %X[%q, %w] : memref<?x?xi64>
    %z = arith.addi %x, %y : i64
    affine.store %z, %Y[%i, %j] : memref<?x?xi64>
  }
  return
}
