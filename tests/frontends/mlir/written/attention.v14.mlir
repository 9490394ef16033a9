#map0 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> (d0, d1)>
module {
  func @f(%arg0: memref<8x4xf32>, %arg1: memref<8x4xf32>, %arg2: memref<8x4xf32>, %arg3: memref<8x4xf32>) {
    %cst = arith.constant 0.000000e+00 : f32
    %0 = memref.alloc() : memref<8x8xf32>
    linalg.fill(%cst, %0) : f32, memref<8x8xf32> 
    linalg.generic {indexing_maps = [#map0, #map1, #map2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0, %arg1 : memref<8x4xf32>, memref<8x4xf32>) outs(%0 : memref<8x8xf32>) {
    ^bb0(%arg4: f32, %arg5: f32, %arg6: f32):
      %1 = arith.mulf %arg4, %arg5 : f32
      %2 = arith.addf %arg6, %1 : f32
      linalg.yield %2 : f32
    }
    affine.for %arg4 = 0 to 8 {
      %1 = affine.for %arg5 = 0 to 8 iter_args(%arg6 = %cst) -> (f32) {
        %2 = affine.load %0[%arg4, %arg5] : memref<8x8xf32>
        %3 = math.exp %2 : f32
        affine.store %3, %0[%arg4, %arg5] : memref<8x8xf32>
        %4 = arith.addf %arg6, %3 : f32
        affine.yield %4 : f32
      }
      affine.for %arg5 = 0 to 8 {
        %2 = affine.load %0[%arg4, %arg5] : memref<8x8xf32>
        %3 = arith.divf %2, %1 : f32
        affine.store %3, %0[%arg4, %arg5] : memref<8x8xf32>
      }
    }
    linalg.fill(%cst, %arg3) : f32, memref<8x4xf32> 
    linalg.matmul ins(%0, %arg2 : memref<8x8xf32>, memref<8x4xf32>) outs(%arg3 : memref<8x4xf32>)
    memref.dealloc %0 : memref<8x8xf32>
    return
  }
}

