#map = affine_map<(d0) -> (d0 * 4)>
#map1 = affine_map<(d0, d1) -> (d0 + d1)>
module {
  func.func @f(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>) {
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant 5.000000e-01 : f32
    affine.for %arg4 = 0 to 4 {
      %0 = affine.apply #map(%arg4)
      affine.for %arg5 = 0 to 4 {
        %1 = affine.apply #map1(%0, %arg5)
        %2 = affine.load %arg0[%1] : memref<16xi32>
        %3 = affine.load %arg1[%1] : memref<16xf32>
        %4 = arith.divsi %2, %c7_i32 : i32
        affine.store %4, %arg2[0, %1] : memref<12x16xi32>
        %5 = arith.floordivsi %2, %c7_i32 : i32
        affine.store %5, %arg2[1, %1] : memref<12x16xi32>
        %6 = arith.remui %2, %c7_i32 : i32
        affine.store %6, %arg2[2, %1] : memref<12x16xi32>
        %7 = arith.shrui %2, %c31_i32 : i32
        affine.store %7, %arg2[3, %1] : memref<12x16xi32>
        %8 = arith.maxui %2, %c7_i32 : i32
        affine.store %8, %arg2[4, %1] : memref<12x16xi32>
        %9 = arith.trunci %2 : i32 to i8
        %10 = arith.extui %9 : i8 to i32
        affine.store %10, %arg2[5, %1] : memref<12x16xi32>
        %11 = arith.extsi %9 : i8 to i32
        affine.store %11, %arg2[6, %1] : memref<12x16xi32>
        %12 = arith.cmpi ult, %2, %c7_i32 : i32
        %13 = arith.extui %12 : i1 to i32
        affine.store %13, %arg2[7, %1] : memref<12x16xi32>
        %14 = arith.cmpf ult, %3, %cst : f32
        %15 = arith.cmpf uno, %3, %3 : f32
        %16 = arith.xori %14, %15 : i1
        %17 = arith.extsi %16 : i1 to i32
        affine.store %17, %arg2[8, %1] : memref<12x16xi32>
        %18 = arith.fptosi %3 : f32 to i32
        affine.store %18, %arg2[9, %1] : memref<12x16xi32>
        %19 = arith.bitcast %3 : f32 to i32
        affine.store %19, %arg2[10, %1] : memref<12x16xi32>
        %20 = arith.index_cast %1 : index to i32
        %21 = arith.shli %c1_i32, %20 overflow<nuw> : i32
        affine.store %21, %arg2[11, %1] : memref<12x16xi32>
        %22 = arith.sitofp %2 : i32 to f32
        affine.store %22, %arg3[0, %1] : memref<8x16xf32>
        %23 = arith.uitofp %2 : i32 to f32
        affine.store %23, %arg3[1, %1] : memref<8x16xf32>
        %24 = arith.extf %3 : f32 to f64
        %25 = math.exp %24 : f64
        %26 = arith.truncf %25 : f64 to f32
        affine.store %26, %arg3[2, %1] : memref<8x16xf32>
        %27 = math.absf %3 : f32
        %28 = math.sqrt %27 : f32
        affine.store %28, %arg3[3, %1] : memref<8x16xf32>
        %29 = arith.truncf %3 : f32 to bf16
        %30 = arith.extf %29 : bf16 to f32
        affine.store %30, %arg3[4, %1] : memref<8x16xf32>
        %31 = arith.minnumf %3, %cst : f32
        affine.store %31, %arg3[5, %1] : memref<8x16xf32>
        %32 = arith.negf %3 : f32
        %33 = arith.select %12, %32, %3 : f32
        affine.store %33, %arg3[6, %1] : memref<8x16xf32>
        %34 = math.floor %3 : f32
        affine.store %34, %arg3[7, %1] : memref<8x16xf32>
      }
    }
    return
  }
}

