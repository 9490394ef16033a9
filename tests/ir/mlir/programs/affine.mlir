// The naive product of matrices, and every construct of affine loops.
#tile = affine_map<(d0)[s0] -> (d0 * 32, s0)>
#skew = affine_map<(i, j)[n] -> (i + j * 2 - n, i floordiv 4, -(i) mod 3, (i - j) ceildiv 5)>
#blocked = affine_map<(d0) -> (d0 floordiv 4, d0 mod 4)>
#inside = affine_set<(i, j)[n] : (i - j >= 0, n - i - 1 >= 0, j == 3)>
func.func @matmul(%A: memref<64x64xf32>, %B: memref<64x64xf32>, %C: memref<64x64xf32>) {
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 64 {
      affine.for %k = 0 to 64 {
        %a = affine.load %A[%i, %k] : memref<64x64xf32>
        %b = affine.load %B[%k, %j] : memref<64x64xf32>
        %c = affine.load %C[%i, %j] : memref<64x64xf32>
        %p = arith.mulf %a, %b : f32
        %s = arith.addf %c, %p : f32
        affine.store %s, %C[%i, %j] : memref<64x64xf32>
      }
    }
  }
  return
}

func.func @forms(%A: memref<?x?xf32>, %n: index, %x: f32) -> f32 {
  %c0 = arith.constant 0 : index
  %m = memref.dim %A, %c0 : memref<?x?xf32>
  %r = affine.for %i = max affine_map<(d0) -> (0, d0 - 8)>(%n) to min #tile(%n)[%m] step 3 iter_args(%s = %x) -> (f32) {
    %q:1 = affine.for %j = affine_map<(d0) -> (d0)>(%i) to affine_map<(d0)[s0] -> (d0 + s0)>(%i)[%m] iter_args(%t = %s) -> (f32) {
      %u = affine.if #inside(%i, %j)[%n] -> f32 {
        %v = affine.load %A[%i + %j floordiv 2, symbol(%n) mod 7] : memref<?x?xf32>
        affine.yield %v : f32
      } else {
        affine.yield %t : f32
      }
      affine.yield %u : f32
    }
    affine.yield %q#0 : f32
  }
  %y = affine.apply affine_map<(i, j)[n] -> (i * n + j)>(%n, %m)[%n]
  %z = affine.min affine_map<(d0)[s0] -> (d0 - 1, s0 * 4, 100)>(%y)[%m]
  affine.parallel (%i, %j) = (0, 0) to (%z, 10) step (2, 5) {
    %v = affine.load %A[%i, %j] : memref<?x?xf32>
    affine.store %v, %A[%j, %i] : memref<?x?xf32>
  }
  affine.prefetch %A[%y, %z], read, locality<3>, data : memref<?x?xf32>
  return %r : f32
}

func.func private @layouts(%a: memref<8x8xf32, affine_map<(d0, d1) -> (d1, d0)>>, %b: memref<8xf32, #blocked>, %c: memref<4x4xf32, affine_map<(d0, d1) -> (d0, d1)>>)
