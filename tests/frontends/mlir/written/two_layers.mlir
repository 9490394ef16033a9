#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
func.func @f(%X: memref<?x?xf32>, %W: memref<?x?xf32>, %b: memref<?xf32>, %V: memref<?x?xf32>, %Y: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %m = memref.dim %X, %c0 : memref<?x?xf32>
  %h = memref.dim %W, %c1 : memref<?x?xf32>
  %t = memref.alloc(%m, %h) {alignment = 64 : i64} : memref<?x?xf32>
  linalg.fill ins(%z : f32) outs(%t : memref<?x?xf32>)
  linalg.matmul ins(%X, %W : memref<?x?xf32>, memref<?x?xf32>) outs(%t : memref<?x?xf32>)
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]}
      ins(%b : memref<?xf32>) outs(%t : memref<?x?xf32>) {
    ^bb0(%c: f32, %y: f32):
      %s = arith.addf %y, %c : f32
      %r = arith.maximumf %s, %z : f32
      linalg.yield %r : f32
  }
  linalg.fill ins(%z : f32) outs(%Y : memref<?x?xf32>)
  linalg.matmul ins(%t, %V : memref<?x?xf32>, memref<?x?xf32>) outs(%Y : memref<?x?xf32>)
  memref.dealloc %t : memref<?x?xf32>
  return
}
