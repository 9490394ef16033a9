// Products with vectors: y += A x, z += y A, s += x . z
func.func @f(%A: memref<8x13xf64>, %x: memref<13xf64>, %y: memref<8xf64>, %z: memref<13xf64>, %s: memref<f64>) {
  linalg.matvec ins(%A, %x : memref<8x13xf64>, memref<13xf64>) outs(%y : memref<8xf64>)
  linalg.vecmat ins(%y, %A : memref<8xf64>, memref<8x13xf64>) outs(%z : memref<13xf64>)
  linalg.dot ins(%x, %z : memref<13xf64>, memref<13xf64>) outs(%s : memref<f64>)
  return
}
