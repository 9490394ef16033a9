module {
  func.func @f(%arg0: memref<?xf32>, %arg1: memref<2xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = memref.dim %arg0, %c0 : memref<?xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 0xFF800000 : f32
    %0:2 = scf.parallel (%arg2) = (%c0) to (%dim) step (%c1) init (%cst, %cst_0) -> (f32, f32) {
      %1 = memref.load %arg0[%arg2] : memref<?xf32>
      scf.reduce(%1)  : f32 {
      ^bb0(%arg3: f32, %arg4: f32):
        %2 = arith.addf %arg3, %arg4 : f32
        scf.reduce.return %2 : f32
      }
      scf.reduce(%1)  : f32 {
      ^bb0(%arg3: f32, %arg4: f32):
        %2 = arith.maxf %arg3, %arg4 : f32
        scf.reduce.return %2 : f32
      }
      scf.yield
    }
    memref.store %0#0, %arg1[%c0] : memref<2xf32>
    memref.store %0#1, %arg1[%c1] : memref<2xf32>
    return
  }
}

