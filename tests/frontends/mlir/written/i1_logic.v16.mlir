module {
  func.func @f(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: i1) {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %dim = memref.dim %arg0, %c0 : memref<?xi32>
    %c0_i32 = arith.constant 0 : i32
    %c5_i32 = arith.constant 5 : i32
    %0 = arith.xori %arg2, %true : i1
    affine.for %arg3 = 0 to %dim {
      %1 = affine.load %arg0[%arg3] : memref<?xi32>
      %2 = arith.cmpi sgt, %1, %c0_i32 : i32
      %3 = arith.cmpi slt, %1, %c5_i32 : i32
      %4 = arith.andi %2, %3 : i1
      %5 = arith.ori %4, %0 : i1
      %6 = arith.select %5, %1, %c0_i32 : i32
      %7 = arith.extui %5 : i1 to i32
      %8 = arith.addi %6, %7 : i32
      affine.store %8, %arg1[%arg3] : memref<?xi32>
    }
    return
  }
}

