module {
  func.func @f(%arg0: tensor<?x16xf32>, %arg1: tensor<16xf32>, %arg2: tensor<16xf32>) -> tensor<?x16xf32> {
    %c0 = arith.constant 0 : index
    %dim = tensor.dim %arg0, %c0 : tensor<?x16xf32>
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.600000e+01 : f32
    %cst_1 = arith.constant 9.99999974E-6 : f32
    %0 = tensor.empty(%dim) : tensor<?xf32>
    %1 = tensor.empty(%dim) : tensor<?x16xf32>
    %2 = linalg.fill ins(%cst : f32) outs(%0 : tensor<?xf32>) -> tensor<?xf32>
    %reduced = linalg.reduce { arith.addf } ins(%arg0 : tensor<?x16xf32>) outs(%2 : tensor<?xf32>) dimensions = [1] 
    %mapped = linalg.map ins(%reduced : tensor<?xf32>) outs(%0 : tensor<?xf32>)
      (%in: f32, %init: f32) {
        %8 = arith.divf %in, %cst_0 : f32
        linalg.yield %8 : f32
      }
    %broadcasted = linalg.broadcast ins(%mapped : tensor<?xf32>) outs(%1 : tensor<?x16xf32>) dimensions = [1] 
    %3 = linalg.sub ins(%arg0, %broadcasted : tensor<?x16xf32>, tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %4 = linalg.square ins(%3 : tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %reduced_2 = linalg.reduce { arith.addf } ins(%4 : tensor<?x16xf32>) outs(%2 : tensor<?xf32>) dimensions = [1] 
    %mapped_3 = linalg.map ins(%reduced_2 : tensor<?xf32>) outs(%0 : tensor<?xf32>)
      (%in: f32, %init: f32) {
        %8 = arith.divf %in, %cst_0 : f32
        %9 = arith.addf %8, %cst_1 : f32
        %10 = math.rsqrt %9 : f32
        linalg.yield %10 : f32
      }
    %broadcasted_4 = linalg.broadcast ins(%mapped_3 : tensor<?xf32>) outs(%1 : tensor<?x16xf32>) dimensions = [1] 
    %5 = linalg.mul ins(%3, %broadcasted_4 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %broadcasted_5 = linalg.broadcast ins(%arg1 : tensor<16xf32>) outs(%1 : tensor<?x16xf32>) dimensions = [0] 
    %broadcasted_6 = linalg.broadcast ins(%arg2 : tensor<16xf32>) outs(%1 : tensor<?x16xf32>) dimensions = [0] 
    %6 = linalg.mul ins(%5, %broadcasted_5 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
    %7 = linalg.add ins(%6, %broadcasted_6 : tensor<?x16xf32>, tensor<?x16xf32>) outs(%1 : tensor<?x16xf32>) -> tensor<?x16xf32>
    return %7 : tensor<?x16xf32>
  }
}
