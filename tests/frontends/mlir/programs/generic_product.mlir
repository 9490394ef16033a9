// A contraction by maps: the first factor is stored transposed, bfloat16 to single.
#a = affine_map<(i, j, k) -> (k, i)>
#b = affine_map<(i, j, k) -> (k, j)>
#c = affine_map<(i, j, k) -> (i, j)>
func.func @f(%A: memref<10x6xbf16>, %B: memref<10x8xbf16>, %C: memref<6x8xf32>) {
  linalg.generic {indexing_maps = [#a, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%A, %B : memref<10x6xbf16>, memref<10x8xbf16>) outs(%C : memref<6x8xf32>) {
    ^bb0(%a: bf16, %b: bf16, %c: f32):
      %x = arith.extf %a : bf16 to f32
      %y = arith.extf %b : bf16 to f32
      %p = arith.mulf %x, %y : f32
      %s = arith.addf %c, %p : f32
      linalg.yield %s : f32
  }
  return
}
