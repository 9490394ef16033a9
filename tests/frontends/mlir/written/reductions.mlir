func.func @f(%X: memref<3x?x5xi32>, %S: memref<?xi32>, %L: memref<3x5xi32>, %V: memref<9xf64>, %total: memref<f64>, %Z: memref<6x8xf32>, %best: memref<8xf32>, %at: memref<8xi32>, %places: memref<6x8xi32>) {
  linalg.reduce { arith.addi } ins(%X : memref<3x?x5xi32>) outs(%S : memref<?xi32>) dimensions = [0, 2]
  linalg.reduce { arith.maxsi } ins(%X : memref<3x?x5xi32>) outs(%L : memref<3x5xi32>) dimensions = [1]
  linalg.reduce ins(%V : memref<9xf64>) outs(%total : memref<f64>) dimensions = [0]
    (%x: f64, %a: f64) {
      %q = arith.mulf %x, %x : f64
      %s = arith.addf %a, %q : f64
      linalg.yield %s : f64
    }
  linalg.reduce ins(%Z, %places : memref<6x8xf32>, memref<6x8xi32>) outs(%best, %at : memref<8xf32>, memref<8xi32>) dimensions = [0]
    (%x: f32, %k: i32, %b: f32, %w: i32) {
      %greater = arith.cmpf ogt, %x, %b : f32
      %nb = arith.select %greater, %x, %b : f32
      %nw = arith.select %greater, %k, %w : i32
      linalg.yield %nb, %nw : f32, i32
    }
  return
}
