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
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %c1_1 = arith.constant 1 : index
    cf.br ^bb1(%c0 : index)
  ^bb1(%1: index):  // 2 preds: ^bb0, ^bb2
    %2 = arith.cmpi slt, %1, %c4 : index
    cf.cond_br %2, ^bb2, ^bb3
  ^bb2:  // pred: ^bb1
    %3 = memref.load %subview_0[%1] : memref<4xf32, strided<[1], offset: 8>>
    %4 = call @twice(%3) : (f32) -> f32
    %5 = memref.load %0[%c1, %1] : memref<2x4xf32>
    %6 = arith.addf %4, %5 : f32
    memref.store %6, %subview_0[%1] : memref<4xf32, strided<[1], offset: 8>>
    %7 = arith.addi %1, %c1_1 : index
    cf.br ^bb1(%7 : index)
  ^bb3:  // pred: ^bb1
    memref.copy %alloc, %arg2 : memref<4x4xf32> to memref<4x4xf32>
    memref.dealloc %alloc : memref<4x4xf32>
    %reinterpret_cast = memref.reinterpret_cast %arg0 to offset: [0], sizes: [24, 4], strides: [4, 1] : memref<8x12xf32> to memref<24x4xf32>
    %alloca = memref.alloca() : memref<4xf32>
    %c0_2 = arith.constant 0 : index
    %c6 = arith.constant 6 : index
    %c1_3 = arith.constant 1 : index
    cf.br ^bb4(%c0_2 : index)
  ^bb4(%8: index):  // 2 preds: ^bb3, ^bb11
    %9 = arith.cmpi slt, %8, %c6 : index
    cf.cond_br %9, ^bb5, ^bb12
  ^bb5:  // pred: ^bb4
    %c0_4 = arith.constant 0 : index
    %c4_5 = arith.constant 4 : index
    %c1_6 = arith.constant 1 : index
    cf.br ^bb6(%c0_4 : index)
  ^bb6(%10: index):  // 2 preds: ^bb5, ^bb7
    %11 = arith.cmpi slt, %10, %c4_5 : index
    cf.cond_br %11, ^bb7, ^bb8
  ^bb7:  // pred: ^bb6
    %c3 = arith.constant 3 : index
    %12 = arith.addi %8, %c3 : index
    %13 = memref.load %reinterpret_cast[%12, %10] : memref<24x4xf32>
    memref.store %13, %alloca[%10] : memref<4xf32>
    %14 = arith.addi %10, %c1_6 : index
    cf.br ^bb6(%14 : index)
  ^bb8:  // pred: ^bb6
    %c0_7 = arith.constant 0 : index
    %c4_8 = arith.constant 4 : index
    %c1_9 = arith.constant 1 : index
    cf.br ^bb9(%c0_7 : index)
  ^bb9(%15: index):  // 2 preds: ^bb8, ^bb10
    %16 = arith.cmpi slt, %15, %c4_8 : index
    cf.cond_br %16, ^bb10, ^bb11
  ^bb10:  // pred: ^bb9
    %c-1 = arith.constant -1 : index
    %17 = arith.muli %15, %c-1 : index
    %c3_10 = arith.constant 3 : index
    %18 = arith.addi %17, %c3_10 : index
    %19 = memref.load %alloca[%18] : memref<4xf32>
    memref.store %19, %arg3[%8, %15] : memref<6x4xf32>
    %20 = arith.addi %15, %c1_9 : index
    cf.br ^bb9(%20 : index)
  ^bb11:  // pred: ^bb9
    %21 = arith.addi %8, %c1_3 : index
    cf.br ^bb4(%21 : index)
  ^bb12:  // pred: ^bb4
    return
  }
}

