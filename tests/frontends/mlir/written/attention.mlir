#qk_a = affine_map<(d0, d1, d2) -> (d0, d2)>
#qk_b = affine_map<(d0, d1, d2) -> (d1, d2)>
#qk_c = affine_map<(d0, d1, d2) -> (d0, d1)>
func.func @f(%Q: memref<8x4xf32>, %K: memref<8x4xf32>, %V: memref<8x4xf32>, %O: memref<8x4xf32>) {
  %z = arith.constant 0.0 : f32
  %S = memref.alloc() : memref<8x8xf32>
  linalg.fill ins(%z : f32) outs(%S : memref<8x8xf32>)
  linalg.generic {indexing_maps = [#qk_a, #qk_b, #qk_c], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%Q, %K : memref<8x4xf32>, memref<8x4xf32>) outs(%S : memref<8x8xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %2 = arith.mulf %a, %b : f32
    %3 = arith.addf %c, %2 : f32
    linalg.yield %3 : f32
  }
  affine.for %i = 0 to 8 {
    %s = affine.for %j = 0 to 8 iter_args(%acc = %z) -> f32 {
      %x = affine.load %S[%i, %j] : memref<8x8xf32>
      %e = math.exp %x : f32
      affine.store %e, %S[%i, %j] : memref<8x8xf32>
      %t = arith.addf %acc, %e : f32
      affine.yield %t : f32
    }
    affine.for %j = 0 to 8 {
      %x = affine.load %S[%i, %j] : memref<8x8xf32>
      %d = arith.divf %x, %s : f32
      affine.store %d, %S[%i, %j] : memref<8x8xf32>
    }
  }
  linalg.fill ins(%z : f32) outs(%O : memref<8x4xf32>)
  linalg.matmul ins(%S, %V : memref<8x8xf32>, memref<8x4xf32>) outs(%O : memref<8x4xf32>)
  memref.dealloc %S : memref<8x8xf32>
  return
}
