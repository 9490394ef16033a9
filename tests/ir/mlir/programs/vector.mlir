// Vectors, fixed and scalable.
func.func @vectors(%A: memref<?x?xf32>, %i: index, %v: vector<8xf32>, %s: vector<[4]xf32>, %m: vector<8xi1>, %x: f32, %t: vector<2x[4]xi32>) -> f32 {
  %pad = arith.constant 0.0 : f32
  %r = vector.transfer_read %A[%i, %i], %pad {in_bounds = [true]} : memref<?x?xf32>, vector<8xf32>
  %q = vector.transfer_read %A[%i, %i], %pad {in_bounds = [false, true], permutation_map = affine_map<(d0, d1) -> (d0, 0)>} : memref<?x?xf32>, vector<8x4xf32>
  %f = vector.fma %r, %v, %v : vector<8xf32>
  %b = vector.broadcast %x : f32 to vector<4x8xf32>
  %sh = vector.shuffle %f, %v [0, 8, 1, 9, 2, 10] : vector<8xf32>, vector<8xf32>
  %red = vector.reduction <add>, %f, %x fastmath<reassoc> : vector<8xf32> into f32
  %z = arith.constant dense<0.0> : vector<4x4xf32>
  %c = vector.contract {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %b, %q, %z : vector<4x8xf32>, vector<8x4xf32> into vector<4x4xf32>
  %e = vector.extract %c[1, 2] : f32 from vector<4x4xf32>
  %l = vector.maskedload %A[%i, %i], %m, %v : memref<?x?xf32>, vector<8xi1>, vector<8xf32> into vector<8xf32>
  %w = arith.addf %s, %s : vector<[4]xf32>
  %k = arith.constant dense<[1, 2, 3, 4]> : vector<4xi64>
  %mask = vector.create_mask %i : vector<[4]xi1>
  %zero = arith.constant dense<1.0> : vector<f32>
  %o = vector.outerproduct %f, %v : vector<8xf32>, vector<8xf32>
  vector.transfer_write %l, %A[%i, %i] : vector<8xf32>, memref<?x?xf32>
  vector.print %red : f32
  return %e : f32
}
