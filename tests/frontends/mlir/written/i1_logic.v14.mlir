module {
  func @f(%arg0: memref<?xi32>, %arg1: memref<?xi32>, %arg2: i1) {
    %c0 = arith.constant 0 : index
    %true = arith.constant true
    %0 = memref.dim %arg0, %c0 : memref<?xi32>
    %c0_i32 = arith.constant 0 : i32
    %c5_i32 = arith.constant 5 : i32
    %1 = arith.xori %arg2, %true : i1
    affine.for %arg3 = 0 to %0 {
      %2 = affine.load %arg0[%arg3] : memref<?xi32>
      %3 = arith.cmpi sgt, %2, %c0_i32 : i32
      %4 = arith.cmpi slt, %2, %c5_i32 : i32
      %5 = arith.andi %3, %4 : i1
      %6 = arith.ori %5, %1 : i1
      %7 = select %6, %2, %c0_i32 : i32
      %8 = arith.extui %6 : i1 to i32
      %9 = arith.addi %7, %8 : i32
      affine.store %9, %arg1[%arg3] : memref<?xi32>
    }
    return
  }
}

