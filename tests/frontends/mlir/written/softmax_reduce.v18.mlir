module {
  func.func @f(%arg0: tensor<?x?xf32>) -> tensor<?x?xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x?xf32>
    %dim_0 = tensor.dim %arg0, %c1 : tensor<?x?xf32>
    %cst = arith.constant 0xFF800000 : f32
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty(%dim) : tensor<?xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
    %reduced = linalg.reduce ins(%arg0 : tensor<?x?xf32>) outs(%1 : tensor<?xf32>) dimensions = [1] 
      (%in: f32, %init: f32) {
        %4 = arith.maximumf %in, %init : f32
        linalg.yield %4 : f32
      }
    %2 = tensor.empty(%dim, %dim_0) : tensor<?x?xf32>
    %broadcasted = linalg.broadcast ins(%reduced : tensor<?xf32>) outs(%2 : tensor<?x?xf32>) dimensions = [1] 
    %mapped = linalg.map { arith.subf } ins(%arg0, %broadcasted : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>)
    %mapped_2 = linalg.map { math.exp } ins(%mapped : tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>)
    %3 = linalg.fill ins(%cst_1 : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
    %reduced_3 = linalg.reduce { arith.addf } ins(%mapped_2 : tensor<?x?xf32>) outs(%3 : tensor<?xf32>) dimensions = [1] 
    %broadcasted_4 = linalg.broadcast ins(%reduced_3 : tensor<?xf32>) outs(%2 : tensor<?x?xf32>) dimensions = [1] 
    %mapped_5 = linalg.map { arith.divf } ins(%mapped_2, %broadcasted_4 : tensor<?x?xf32>, tensor<?x?xf32>) outs(%2 : tensor<?x?xf32>)
    return %mapped_5 : tensor<?x?xf32>
  }
}
