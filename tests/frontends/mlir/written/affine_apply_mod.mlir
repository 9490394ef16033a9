#p = affine_map<(d0)[s0] -> ((d0 + s0) mod 7)>
#q = affine_map<(d0, d1) -> (d0 ceildiv 2 + d1 floordiv 3)>
func.func @f(%X: memref<7xf32>, %Y: memref<?x6xf32>, %o: index) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %Y, %c0 : memref<?x6xf32>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to 6 {
      %a = affine.apply #p(%i)[%o]
      %b = affine.apply #q(%a, %j)
      %x = memref.load %X[%b] : memref<7xf32>
      memref.store %x, %Y[%i, %j] : memref<?x6xf32>
    }
  }
  return
}
