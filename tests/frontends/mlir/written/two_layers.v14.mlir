#map0 = affine_map<(d0, d1) -> (d1)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func @f(%arg0: memref<?x?xf32>, %arg1: memref<?x?xf32>, %arg2: memref<?xf32>, %arg3: memref<?x?xf32>, %arg4: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = memref.dim %arg0, %c0 : memref<?x?xf32>
    %1 = memref.dim %arg1, %c1 : memref<?x?xf32>
    %2 = memref.alloc(%0, %1) {alignment = 64 : i64} : memref<?x?xf32>
    linalg.fill(%cst, %2) : f32, memref<?x?xf32> 
    linalg.matmul ins(%arg0, %arg1 : memref<?x?xf32>, memref<?x?xf32>) outs(%2 : memref<?x?xf32>)
    linalg.generic {indexing_maps = [#map0, #map1], iterator_types = ["parallel", "parallel"]} ins(%arg2 : memref<?xf32>) outs(%2 : memref<?x?xf32>) {
    ^bb0(%arg5: f32, %arg6: f32):
      %3 = arith.addf %arg6, %arg5 : f32
      %4 = arith.maxf %3, %cst : f32
      linalg.yield %4 : f32
    }
    linalg.fill(%cst, %arg4) : f32, memref<?x?xf32> 
    linalg.matmul ins(%2, %arg3 : memref<?x?xf32>, memref<?x?xf32>) outs(%arg4 : memref<?x?xf32>)
    memref.dealloc %2 : memref<?x?xf32>
    return
  }
}

