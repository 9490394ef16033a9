func.func @f(%A: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %A, %c0 : memref<?x?xf64>
  affine.for %i = 0 to %n {
    affine.for %j = 0 to affine_map<(d0) -> (d0)>(%i) {
      affine.for %k = 0 to affine_map<(d0) -> (d0)>(%j) {
        %0 = affine.load %A[%i, %k] : memref<?x?xf64>
        %1 = affine.load %A[%j, %k] : memref<?x?xf64>
        %2 = arith.mulf %0, %1 : f64
        %3 = affine.load %A[%i, %j] : memref<?x?xf64>
        %4 = arith.subf %3, %2 : f64
        affine.store %4, %A[%i, %j] : memref<?x?xf64>
      }
      %5 = affine.load %A[%j, %j] : memref<?x?xf64>
      %6 = affine.load %A[%i, %j] : memref<?x?xf64>
      %7 = arith.divf %6, %5 : f64
      affine.store %7, %A[%i, %j] : memref<?x?xf64>
    }
    affine.for %k = 0 to affine_map<(d0) -> (d0)>(%i) {
      %0 = affine.load %A[%i, %k] : memref<?x?xf64>
      %2 = arith.mulf %0, %0 : f64
      %3 = affine.load %A[%i, %i] : memref<?x?xf64>
      %4 = arith.subf %3, %2 : f64
      affine.store %4, %A[%i, %i] : memref<?x?xf64>
    }
    %8 = affine.load %A[%i, %i] : memref<?x?xf64>
    %9 = math.sqrt %8 : f64
    affine.store %9, %A[%i, %i] : memref<?x?xf64>
  }
  return
}
