func.func @f(%X: memref<?xf64>, %out: memref<3xf64>) {
  %z = arith.constant 0.0 : f64
  %c0 = arith.constant 0 : index
  %n = memref.dim %X, %c0 : memref<?xf64>
  %m:3 = affine.for %i = 0 to %n iter_args(%s = %z, %q = %z, %a = %z) -> (f64, f64, f64) {
    %x = affine.load %X[%i] : memref<?xf64>
    %s1 = arith.addf %s, %x : f64
    %xx = arith.mulf %x, %x : f64
    %q1 = arith.addf %q, %xx : f64
    affine.yield %s1, %q1, %s : f64, f64, f64
  }
  affine.store %m#0, %out[0] : memref<3xf64>
  affine.store %m#1, %out[1] : memref<3xf64>
  affine.store %m#2, %out[2] : memref<3xf64>
  return
}
