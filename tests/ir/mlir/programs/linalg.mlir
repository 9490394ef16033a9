// Named and generic operations on tensors and memrefs.
#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
func.func @named(%A: tensor<16x32xf32>, %B: tensor<32x8xf32>, %init: tensor<16x8xf32>, %x: tensor<32xf32>, %y: tensor<16xf32>) -> tensor<16x8xf32> {
  %zero = arith.constant 0.0 : f32
  %C = linalg.fill ins(%zero : f32) outs(%init : tensor<16x8xf32>) -> tensor<16x8xf32>
  %D = linalg.matmul ins(%A, %B : tensor<16x32xf32>, tensor<32x8xf32>) outs(%C : tensor<16x8xf32>) -> tensor<16x8xf32>
  %v = linalg.matvec ins(%A, %x : tensor<16x32xf32>, tensor<32xf32>) outs(%y : tensor<16xf32>) -> tensor<16xf32>
  return %D : tensor<16x8xf32>
}

func.func @bias_relu(%X: tensor<?x8xf32>, %b: tensor<8xf32>, %Y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"], library_call = "bias"}
      ins(%X, %b : tensor<?x8xf32>, tensor<8xf32>) outs(%Y : tensor<?x8xf32>) attrs = {user.note = "keep"} {
    ^bb0(%x: f32, %c: f32, %y: f32):
      %s = arith.addf %x, %c : f32
      %m = arith.maximumf %s, %zero : f32
      linalg.yield %m : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

func.func @memrefs(%A: memref<4x16x32xbf16>, %B: memref<4x32x8xbf16>, %C: memref<4x16x8xf32>, %x: memref<8xf32>, %y: memref<8xf32>, %d: memref<f32>) {
  linalg.batch_matmul ins(%A, %B : memref<4x16x32xbf16>, memref<4x32x8xbf16>) outs(%C : memref<4x16x8xf32>)
  linalg.dot ins(%x, %y : memref<8xf32>, memref<8xf32>) outs(%d : memref<f32>)
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%x : memref<8xf32>) outs(%d : memref<f32>) {
    ^bb0(%a: f32, %s: f32):
      %i = linalg.index 0 : index
      %t = arith.addf %a, %s : f32
      linalg.yield %t : f32
  }
  return
}
