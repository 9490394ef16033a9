module {
  func.func @f(%arg0: memref<3x?x5xi32>, %arg1: memref<?xi32>, %arg2: memref<3x5xi32>, %arg3: memref<9xf64>, %arg4: memref<f64>, %arg5: memref<6x8xf32>, %arg6: memref<8xf32>, %arg7: memref<8xi32>, %arg8: memref<6x8xi32>) {
    linalg.reduce { arith.addi } ins(%arg0 : memref<3x?x5xi32>) outs(%arg1 : memref<?xi32>) dimensions = [0, 2] 
    linalg.reduce { arith.maxsi } ins(%arg0 : memref<3x?x5xi32>) outs(%arg2 : memref<3x5xi32>) dimensions = [1] 
    linalg.reduce ins(%arg3 : memref<9xf64>) outs(%arg4 : memref<f64>) dimensions = [0] 
      (%in: f64, %init: f64) {
        %0 = arith.mulf %in, %in : f64
        %1 = arith.addf %init, %0 : f64
        linalg.yield %1 : f64
      }
    linalg.reduce ins(%arg5, %arg8 : memref<6x8xf32>, memref<6x8xi32>) outs(%arg6, %arg7 : memref<8xf32>, memref<8xi32>) dimensions = [0] 
      (%in: f32, %in_0: i32, %init: f32, %init_1: i32) {
        %0 = arith.cmpf ogt, %in, %init : f32
        %1 = arith.select %0, %in, %init : f32
        %2 = arith.select %0, %in_0, %init_1 : i32
        linalg.yield %1, %2 : f32, i32
      }
    return
  }
}
