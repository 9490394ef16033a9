#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
#map2 = affine_map<(d0) -> (4, -d0 + 6)>
module {
  memref.global "private" constant @weights : memref<2x4xf32> = dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.500000e+00]]>
  func.func private @twice(%arg0: f32) -> f32 {
    %0 = arith.addf %arg0, %arg0 : f32
    return %0 : f32
  }
  func.func @f(%arg0: memref<8x12xf32>, %arg1: index, %arg2: memref<4x4xf32>, %arg3: memref<6x4xf32>) {
    %c1 = arith.constant 1 : index
    %subview = memref.subview %arg0[%arg1, 4] [4, 4] [1, 1] : memref<8x12xf32> to memref<4x4xf32, strided<[12, 1], offset: ?>>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x4xf32>
    memref.copy %subview, %alloc : memref<4x4xf32, strided<[12, 1], offset: ?>> to memref<4x4xf32>
    %subview_0 = memref.subview %alloc[2, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 8>>
    %0 = memref.get_global @weights : memref<2x4xf32>
    affine.for %arg4 = 0 to 1 {
      %1 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 4 {
        %2 = affine.apply #map1(%1, %arg5)
        %3 = memref.load %subview_0[%2] : memref<4xf32, strided<[1], offset: 8>>
        %4 = func.call @twice(%3) : (f32) -> f32
        %5 = memref.load %0[%c1, %2] : memref<2x4xf32>
        %6 = arith.addf %4, %5 : f32
        memref.store %6, %subview_0[%2] : memref<4xf32, strided<[1], offset: 8>>
      }
    }
    memref.copy %alloc, %arg2 : memref<4x4xf32> to memref<4x4xf32>
    memref.dealloc %alloc : memref<4x4xf32>
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [24, 4], strides: [4, 1] : memref<8x12xf32> to memref<24x4xf32>
    %alloca = memref.alloca() : memref<4xf32>
    affine.for %arg4 = 0 to 2 {
      %1 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to min #map2(%1) {
        %2 = affine.apply #map1(%1, %arg5)
        affine.for %arg6 = 0 to 4 {
          %3 = affine.load %reinterpret_cast[%2 + 3, %arg6] : memref<24x4xf32>
          affine.store %3, %alloca[%arg6] : memref<4xf32>
        }
        affine.for %arg6 = 0 to 4 {
          %3 = affine.load %alloca[-%arg6 + 3] : memref<4xf32>
          affine.store %3, %arg3[%2, %arg6] : memref<6x4xf32>
        }
      }
    }
    return
  }
}

