module {
  func.func @f(%arg0: memref<8x9xf32>, %arg1: memref<3xf32>) {
    %0:3 = affine.parallel (%arg2, %arg3) = (0, 0) to (8, 9) step (1, 2) reduce ("addf", "maxf", "mulf") -> (f32, f32, f32) {
      %1 = affine.load %arg0[%arg2, %arg3] : memref<8x9xf32>
      affine.yield %1, %1, %1 : f32, f32, f32
    }
    affine.store %0#0, %arg1[0] : memref<3xf32>
    affine.store %0#1, %arg1[1] : memref<3xf32>
    affine.store %0#2, %arg1[2] : memref<3xf32>
    return
  }
}

