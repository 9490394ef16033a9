func.func @f(%X: memref<?xf32>, %out: memref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %X, %c0 : memref<?xf32>
  %zero = arith.constant 0.0 : f32
  %inf = arith.constant 0xFF800000 : f32
  %r:2 = scf.parallel (%i) = (%c0) to (%n) step (%c1) init (%zero, %inf) -> (f32, f32) {
    %x = memref.load %X[%i] : memref<?xf32>
    scf.reduce(%x, %x : f32, f32) {
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      scf.reduce.return %s : f32
    }, {
    ^bb0(%a: f32, %b: f32):
      %s = arith.maximumf %a, %b : f32
      scf.reduce.return %s : f32
    }
  }
  memref.store %r#0, %out[%c0] : memref<2xf32>
  memref.store %r#1, %out[%c1] : memref<2xf32>
  return
}
