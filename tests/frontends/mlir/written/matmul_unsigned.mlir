func.func @f(%A: memref<6x5xi8>, %B: memref<5x9xi8>, %C: memref<6x9xi32>) {
  linalg.matmul {cast = #linalg.type_fn<cast_unsigned>} ins(%A, %B : memref<6x5xi8>, memref<5x9xi8>) outs(%C : memref<6x9xi32>)
  return
}
