module {
  func @f(%arg0: memref<?xf64>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %0 = memref.dim %arg0, %c0 : memref<?xf64>
    %cst = arith.constant 5.000000e-01 : f64
    %cst_0 = arith.constant 1.000000e-13 : f64
    scf.for %arg1 = %c0 to %0 step %c1 {
      %1 = memref.load %arg0[%arg1] : memref<?xf64>
      %2 = scf.while (%arg2 = %1) : (f64) -> f64 {
        %3 = arith.mulf %arg2, %arg2 : f64
        %4 = arith.subf %3, %1 : f64
        %5 = math.abs %4 : f64
        %6 = arith.mulf %1, %cst_0 : f64
        %7 = arith.cmpf ogt, %5, %6 : f64
        scf.condition(%7) %arg2 : f64
      } do {
      ^bb0(%arg2: f64):
        %3 = arith.divf %1, %arg2 : f64
        %4 = arith.addf %arg2, %3 : f64
        %5 = arith.mulf %4, %cst : f64
        scf.yield %5 : f64
      }
      memref.store %2, %arg0[%arg1] : memref<?xf64>
    }
    return
  }
}

