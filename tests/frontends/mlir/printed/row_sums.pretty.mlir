#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
module {
  func.func @f(%arg0: memref<9x11xf32>, %arg1: memref<9xf32>, %arg2: memref<9xf32>, %arg3: memref<9x11xi64>) {
    linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : memref<9x11xf32>) outs(%arg1, %arg2 : memref<9xf32>, memref<9xf32>) {
    ^bb0(%in: f32, %out: f32, %out_0: f32):
      %0 = arith.addf %out, %in : f32
      %1 = arith.maximumf %out_0, %in : f32
      linalg.yield %0, %1 : f32, f32
    }
    linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%arg3 : memref<9x11xi64>) {
    ^bb0(%out: i64):
      %0 = linalg.index 0 : index
      %1 = linalg.index 1 : index
      %c100 = arith.constant 100 : index
      %2 = arith.muli %0, %c100 : index
      %3 = arith.addi %2, %1 : index
      %4 = arith.index_cast %3 : index to i64
      linalg.yield %4 : i64
    }
    return
  }
}

