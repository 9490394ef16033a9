#lo = affine_map<(d0) -> (d0, 2)>
#hi = affine_map<(d0)[s0] -> (d0 + 5, s0 - 1)>
func.func @f(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = memref.dim %X, %c0 : memref<?x?xf32>
  %n = memref.dim %X, %c1 : memref<?x?xf32>
  affine.for %ti = 0 to %m step 5 {
    affine.for %tj = 0 to %n step 5 {
      affine.for %i = max #lo(%ti) to min #hi(%ti)[%m] {
        affine.for %j = max #lo(%tj) to min #hi(%tj)[%n] {
          %a = affine.load %X[%i - 1, %j] : memref<?x?xf32>
          %b = affine.load %X[%i + 1, %j] : memref<?x?xf32>
          %c = affine.load %X[%i, %j - 2] : memref<?x?xf32>
          %d = affine.load %X[%i, %j + 1] : memref<?x?xf32>
          %s = arith.addf %a, %b : f32
          %t = arith.addf %c, %d : f32
          %u = arith.addf %s, %t : f32
          affine.store %u, %Y[%i, %j] : memref<?x?xf32>
        }
      }
    }
  }
  return
}
