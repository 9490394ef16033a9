#r = affine_map<(d0, d1) -> (d0)>
#c = affine_map<(d0, d1) -> (d1)>
#s = affine_map<(d0, d1) -> ()>
#id = affine_map<(d0, d1) -> (d0, d1)>
#t = affine_map<(d0, d1) -> (d1, d0)>
func.func @f(%x: memref<?xf32>, %y: memref<?xf32>, %a: memref<f32>, %Z: memref<?x?xf32>, %T: memref<?x?xf32>) {
  linalg.generic {indexing_maps = [#r, #c, #s, #id, #t], iterator_types = ["parallel", "parallel"]}
    ins(%x, %y, %a : memref<?xf32>, memref<?xf32>, memref<f32>) outs(%Z, %T : memref<?x?xf32>, memref<?x?xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32, %z: f32, %t: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %m, %s : f32
    %u = arith.subf %z, %m : f32
    linalg.yield %n, %u : f32, f32
  }
  return
}
