// The naive product in scf, single and parallel loops, any sizes.
func.func @f(%A: memref<?x?xf32>, %B: memref<?x?xf32>, %C: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %k = memref.dim %A, %c1 : memref<?x?xf32>
  %n = memref.dim %B, %c1 : memref<?x?xf32>
  scf.parallel (%i, %j) = (%c0, %c0) to (%m, %n) step (%c1, %c1) {
    %r = scf.for %l = %c0 to %k step %c1 iter_args(%s = %zero) -> (f32) {
      %a = memref.load %A[%i, %l] : memref<?x?xf32>
      %b = memref.load %B[%l, %j] : memref<?x?xf32>
      %p = arith.mulf %a, %b : f32
      %t = arith.addf %s, %p : f32
      scf.yield %t : f32
    }
    memref.store %r, %C[%i, %j] : memref<?x?xf32>
    scf.reduce
  }
  return
}
