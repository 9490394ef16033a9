#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  memref.global "private" constant @weights : memref<2x4xf32> = dense<[[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00], [5.000000e+00, 6.000000e+00, 7.000000e+00, 8.500000e+00]]>
  func.func private @twice(%arg0: f32) -> f32 {
    %0 = arith.addf %arg0, %arg0 : f32
    return %0 : f32
  }
  func.func @f(%arg0: memref<8x12xf32>, %arg1: index, %arg2: memref<4x4xf32>, %arg3: memref<6x4xf32>) {
    %c0 = arith.constant 0 : index
    %c0_0 = arith.constant 0 : index
    %c0_1 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %subview = memref.subview %arg0[%arg1, 4] [4, 4] [1, 1] : memref<8x12xf32> to memref<4x4xf32, strided<[12, 1], offset: ?>>
    %alloc = memref.alloc() {alignment = 64 : i64} : memref<4x4xf32>
    memref.copy %subview, %alloc : memref<4x4xf32, strided<[12, 1], offset: ?>> to memref<4x4xf32>
    %subview_2 = memref.subview %alloc[2, 0] [1, 4] [1, 1] : memref<4x4xf32> to memref<4xf32, strided<[1], offset: 8>>
    %0 = memref.get_global @weights : memref<2x4xf32>
    %1 = memref.load %subview_2[%c0_1] : memref<4xf32, strided<[1], offset: 8>>
    %2 = call @twice(%1) : (f32) -> f32
    %3 = memref.load %0[%c1, %c0_1] : memref<2x4xf32>
    %4 = arith.addf %2, %3 : f32
    memref.store %4, %subview_2[%c0_1] : memref<4xf32, strided<[1], offset: 8>>
    %5 = affine.apply #map(%c0_1)
    %6 = memref.load %subview_2[%5] : memref<4xf32, strided<[1], offset: 8>>
    %7 = call @twice(%6) : (f32) -> f32
    %8 = memref.load %0[%c1, %5] : memref<2x4xf32>
    %9 = arith.addf %7, %8 : f32
    memref.store %9, %subview_2[%5] : memref<4xf32, strided<[1], offset: 8>>
    %10 = affine.apply #map1(%c0_1)
    %11 = memref.load %subview_2[%10] : memref<4xf32, strided<[1], offset: 8>>
    %12 = call @twice(%11) : (f32) -> f32
    %13 = memref.load %0[%c1, %10] : memref<2x4xf32>
    %14 = arith.addf %12, %13 : f32
    memref.store %14, %subview_2[%10] : memref<4xf32, strided<[1], offset: 8>>
    %15 = affine.apply #map2(%c0_1)
    %16 = memref.load %subview_2[%15] : memref<4xf32, strided<[1], offset: 8>>
    %17 = call @twice(%16) : (f32) -> f32
    %18 = memref.load %0[%c1, %15] : memref<2x4xf32>
    %19 = arith.addf %17, %18 : f32
    memref.store %19, %subview_2[%15] : memref<4xf32, strided<[1], offset: 8>>
    memref.copy %alloc, %arg2 : memref<4x4xf32> to memref<4x4xf32>
    memref.dealloc %alloc : memref<4x4xf32>
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [24, 4], strides: [4, 1] : memref<8x12xf32> to memref<24x4xf32>
    affine.for %arg4 = 0 to 6 {
      %20 = affine.load %reinterpret_cast[%arg4 + 3, %c0_0] : memref<24x4xf32>
      %21 = affine.apply #map(%c0_0)
      %22 = affine.load %reinterpret_cast[%arg4 + 3, %21] : memref<24x4xf32>
      %23 = affine.apply #map1(%c0_0)
      %24 = affine.load %reinterpret_cast[%arg4 + 3, %23] : memref<24x4xf32>
      %25 = affine.apply #map2(%c0_0)
      %26 = affine.load %reinterpret_cast[%arg4 + 3, %25] : memref<24x4xf32>
      affine.store %26, %arg3[%arg4, %c0] : memref<6x4xf32>
      %27 = affine.apply #map(%c0)
      affine.store %24, %arg3[%arg4, %27] : memref<6x4xf32>
      %28 = affine.apply #map1(%c0)
      affine.store %22, %arg3[%arg4, %28] : memref<6x4xf32>
      %29 = affine.apply #map2(%c0)
      affine.store %20, %arg3[%arg4, %29] : memref<6x4xf32>
    }
    return
  }
}

