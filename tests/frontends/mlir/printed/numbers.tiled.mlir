#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 4)>
module {
  func.func @f(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>) {
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant 5.000000e-01 : f32
    affine.for %arg4 = 0 to 16 step 4 {
      affine.for %arg5 = #map(%arg4) to #map1(%arg4) {
        %0 = affine.load %arg0[%arg5] : memref<16xi32>
        %1 = affine.load %arg1[%arg5] : memref<16xf32>
        %2 = arith.divsi %0, %c7_i32 : i32
        affine.store %2, %arg2[0, %arg5] : memref<12x16xi32>
        %3 = arith.floordivsi %0, %c7_i32 : i32
        affine.store %3, %arg2[1, %arg5] : memref<12x16xi32>
        %4 = arith.remui %0, %c7_i32 : i32
        affine.store %4, %arg2[2, %arg5] : memref<12x16xi32>
        %5 = arith.shrui %0, %c31_i32 : i32
        affine.store %5, %arg2[3, %arg5] : memref<12x16xi32>
        %6 = arith.maxui %0, %c7_i32 : i32
        affine.store %6, %arg2[4, %arg5] : memref<12x16xi32>
        %7 = arith.trunci %0 : i32 to i8
        %8 = arith.extui %7 : i8 to i32
        affine.store %8, %arg2[5, %arg5] : memref<12x16xi32>
        %9 = arith.extsi %7 : i8 to i32
        affine.store %9, %arg2[6, %arg5] : memref<12x16xi32>
        %10 = arith.cmpi ult, %0, %c7_i32 : i32
        %11 = arith.extui %10 : i1 to i32
        affine.store %11, %arg2[7, %arg5] : memref<12x16xi32>
        %12 = arith.cmpf ult, %1, %cst : f32
        %13 = arith.cmpf uno, %1, %1 : f32
        %14 = arith.xori %12, %13 : i1
        %15 = arith.extsi %14 : i1 to i32
        affine.store %15, %arg2[8, %arg5] : memref<12x16xi32>
        %16 = arith.fptosi %1 : f32 to i32
        affine.store %16, %arg2[9, %arg5] : memref<12x16xi32>
        %17 = arith.bitcast %1 : f32 to i32
        affine.store %17, %arg2[10, %arg5] : memref<12x16xi32>
        %18 = arith.index_cast %arg5 : index to i32
        %19 = arith.shli %c1_i32, %18 overflow<nuw> : i32
        affine.store %19, %arg2[11, %arg5] : memref<12x16xi32>
        %20 = arith.sitofp %0 : i32 to f32
        affine.store %20, %arg3[0, %arg5] : memref<8x16xf32>
        %21 = arith.uitofp %0 : i32 to f32
        affine.store %21, %arg3[1, %arg5] : memref<8x16xf32>
        %22 = arith.extf %1 : f32 to f64
        %23 = math.exp %22 : f64
        %24 = arith.truncf %23 : f64 to f32
        affine.store %24, %arg3[2, %arg5] : memref<8x16xf32>
        %25 = math.absf %1 : f32
        %26 = math.sqrt %25 : f32
        affine.store %26, %arg3[3, %arg5] : memref<8x16xf32>
        %27 = arith.truncf %1 : f32 to bf16
        %28 = arith.extf %27 : bf16 to f32
        affine.store %28, %arg3[4, %arg5] : memref<8x16xf32>
        %29 = arith.minnumf %1, %cst : f32
        affine.store %29, %arg3[5, %arg5] : memref<8x16xf32>
        %30 = arith.negf %1 : f32
        %31 = arith.select %10, %30, %1 : f32
        affine.store %31, %arg3[6, %arg5] : memref<8x16xf32>
        %32 = math.floor %1 : f32
        affine.store %32, %arg3[7, %arg5] : memref<8x16xf32>
      }
    }
    return
  }
}

