func.func @f(%A: memref<?x?xf64>, %x: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    %b = affine.load %x[%i] : memref<?xf64>
    %s = affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) iter_args(%acc = %b) -> (f64) {
      %a = affine.load %A[%i, %j] : memref<?x?xf64>
      %y = affine.load %x[%j] : memref<?xf64>
      %p = arith.mulf %a, %y : f64
      %d = arith.subf %acc, %p : f64
      affine.yield %d : f64
    }
    %d = affine.load %A[%i, %i] : memref<?x?xf64>
    %q = arith.divf %s, %d : f64
    affine.store %q, %x[%i] : memref<?xf64>
  }
  return
}
