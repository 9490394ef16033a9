#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
module {
  func.func @f(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>) {
    %c15 = arith.constant 15 : index
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant 5.000000e-01 : f32
    affine.for %arg4 = 0 to 15 step 3 {
      %33 = affine.load %arg0[%arg4] : memref<16xi32>
      %34 = affine.load %arg1[%arg4] : memref<16xf32>
      %35 = arith.divsi %33, %c7_i32 : i32
      affine.store %35, %arg2[0, %arg4] : memref<12x16xi32>
      %36 = arith.floordivsi %33, %c7_i32 : i32
      affine.store %36, %arg2[1, %arg4] : memref<12x16xi32>
      %37 = arith.remui %33, %c7_i32 : i32
      affine.store %37, %arg2[2, %arg4] : memref<12x16xi32>
      %38 = arith.shrui %33, %c31_i32 : i32
      affine.store %38, %arg2[3, %arg4] : memref<12x16xi32>
      %39 = arith.maxui %33, %c7_i32 : i32
      affine.store %39, %arg2[4, %arg4] : memref<12x16xi32>
      %40 = arith.trunci %33 : i32 to i8
      %41 = arith.extui %40 : i8 to i32
      affine.store %41, %arg2[5, %arg4] : memref<12x16xi32>
      %42 = arith.extsi %40 : i8 to i32
      affine.store %42, %arg2[6, %arg4] : memref<12x16xi32>
      %43 = arith.cmpi ult, %33, %c7_i32 : i32
      %44 = arith.extui %43 : i1 to i32
      affine.store %44, %arg2[7, %arg4] : memref<12x16xi32>
      %45 = arith.cmpf ult, %34, %cst : f32
      %46 = arith.cmpf uno, %34, %34 : f32
      %47 = arith.xori %45, %46 : i1
      %48 = arith.extsi %47 : i1 to i32
      affine.store %48, %arg2[8, %arg4] : memref<12x16xi32>
      %49 = arith.fptosi %34 : f32 to i32
      affine.store %49, %arg2[9, %arg4] : memref<12x16xi32>
      %50 = arith.bitcast %34 : f32 to i32
      affine.store %50, %arg2[10, %arg4] : memref<12x16xi32>
      %51 = arith.index_cast %arg4 : index to i32
      %52 = arith.shli %c1_i32, %51 overflow<nuw> : i32
      affine.store %52, %arg2[11, %arg4] : memref<12x16xi32>
      %53 = arith.sitofp %33 : i32 to f32
      affine.store %53, %arg3[0, %arg4] : memref<8x16xf32>
      %54 = arith.uitofp %33 : i32 to f32
      affine.store %54, %arg3[1, %arg4] : memref<8x16xf32>
      %55 = arith.extf %34 : f32 to f64
      %56 = math.exp %55 : f64
      %57 = arith.truncf %56 : f64 to f32
      affine.store %57, %arg3[2, %arg4] : memref<8x16xf32>
      %58 = math.absf %34 : f32
      %59 = math.sqrt %58 : f32
      affine.store %59, %arg3[3, %arg4] : memref<8x16xf32>
      %60 = arith.truncf %34 : f32 to bf16
      %61 = arith.extf %60 : bf16 to f32
      affine.store %61, %arg3[4, %arg4] : memref<8x16xf32>
      %62 = arith.minnumf %34, %cst : f32
      affine.store %62, %arg3[5, %arg4] : memref<8x16xf32>
      %63 = arith.negf %34 : f32
      %64 = arith.select %43, %63, %34 : f32
      affine.store %64, %arg3[6, %arg4] : memref<8x16xf32>
      %65 = math.floor %34 : f32
      affine.store %65, %arg3[7, %arg4] : memref<8x16xf32>
      %66 = affine.apply #map(%arg4)
      %67 = affine.load %arg0[%66] : memref<16xi32>
      %68 = affine.load %arg1[%66] : memref<16xf32>
      %69 = arith.divsi %67, %c7_i32 : i32
      affine.store %69, %arg2[0, %66] : memref<12x16xi32>
      %70 = arith.floordivsi %67, %c7_i32 : i32
      affine.store %70, %arg2[1, %66] : memref<12x16xi32>
      %71 = arith.remui %67, %c7_i32 : i32
      affine.store %71, %arg2[2, %66] : memref<12x16xi32>
      %72 = arith.shrui %67, %c31_i32 : i32
      affine.store %72, %arg2[3, %66] : memref<12x16xi32>
      %73 = arith.maxui %67, %c7_i32 : i32
      affine.store %73, %arg2[4, %66] : memref<12x16xi32>
      %74 = arith.trunci %67 : i32 to i8
      %75 = arith.extui %74 : i8 to i32
      affine.store %75, %arg2[5, %66] : memref<12x16xi32>
      %76 = arith.extsi %74 : i8 to i32
      affine.store %76, %arg2[6, %66] : memref<12x16xi32>
      %77 = arith.cmpi ult, %67, %c7_i32 : i32
      %78 = arith.extui %77 : i1 to i32
      affine.store %78, %arg2[7, %66] : memref<12x16xi32>
      %79 = arith.cmpf ult, %68, %cst : f32
      %80 = arith.cmpf uno, %68, %68 : f32
      %81 = arith.xori %79, %80 : i1
      %82 = arith.extsi %81 : i1 to i32
      affine.store %82, %arg2[8, %66] : memref<12x16xi32>
      %83 = arith.fptosi %68 : f32 to i32
      affine.store %83, %arg2[9, %66] : memref<12x16xi32>
      %84 = arith.bitcast %68 : f32 to i32
      affine.store %84, %arg2[10, %66] : memref<12x16xi32>
      %85 = arith.index_cast %66 : index to i32
      %86 = arith.shli %c1_i32, %85 overflow<nuw> : i32
      affine.store %86, %arg2[11, %66] : memref<12x16xi32>
      %87 = arith.sitofp %67 : i32 to f32
      affine.store %87, %arg3[0, %66] : memref<8x16xf32>
      %88 = arith.uitofp %67 : i32 to f32
      affine.store %88, %arg3[1, %66] : memref<8x16xf32>
      %89 = arith.extf %68 : f32 to f64
      %90 = math.exp %89 : f64
      %91 = arith.truncf %90 : f64 to f32
      affine.store %91, %arg3[2, %66] : memref<8x16xf32>
      %92 = math.absf %68 : f32
      %93 = math.sqrt %92 : f32
      affine.store %93, %arg3[3, %66] : memref<8x16xf32>
      %94 = arith.truncf %68 : f32 to bf16
      %95 = arith.extf %94 : bf16 to f32
      affine.store %95, %arg3[4, %66] : memref<8x16xf32>
      %96 = arith.minnumf %68, %cst : f32
      affine.store %96, %arg3[5, %66] : memref<8x16xf32>
      %97 = arith.negf %68 : f32
      %98 = arith.select %77, %97, %68 : f32
      affine.store %98, %arg3[6, %66] : memref<8x16xf32>
      %99 = math.floor %68 : f32
      affine.store %99, %arg3[7, %66] : memref<8x16xf32>
      %100 = affine.apply #map1(%arg4)
      %101 = affine.load %arg0[%100] : memref<16xi32>
      %102 = affine.load %arg1[%100] : memref<16xf32>
      %103 = arith.divsi %101, %c7_i32 : i32
      affine.store %103, %arg2[0, %100] : memref<12x16xi32>
      %104 = arith.floordivsi %101, %c7_i32 : i32
      affine.store %104, %arg2[1, %100] : memref<12x16xi32>
      %105 = arith.remui %101, %c7_i32 : i32
      affine.store %105, %arg2[2, %100] : memref<12x16xi32>
      %106 = arith.shrui %101, %c31_i32 : i32
      affine.store %106, %arg2[3, %100] : memref<12x16xi32>
      %107 = arith.maxui %101, %c7_i32 : i32
      affine.store %107, %arg2[4, %100] : memref<12x16xi32>
      %108 = arith.trunci %101 : i32 to i8
      %109 = arith.extui %108 : i8 to i32
      affine.store %109, %arg2[5, %100] : memref<12x16xi32>
      %110 = arith.extsi %108 : i8 to i32
      affine.store %110, %arg2[6, %100] : memref<12x16xi32>
      %111 = arith.cmpi ult, %101, %c7_i32 : i32
      %112 = arith.extui %111 : i1 to i32
      affine.store %112, %arg2[7, %100] : memref<12x16xi32>
      %113 = arith.cmpf ult, %102, %cst : f32
      %114 = arith.cmpf uno, %102, %102 : f32
      %115 = arith.xori %113, %114 : i1
      %116 = arith.extsi %115 : i1 to i32
      affine.store %116, %arg2[8, %100] : memref<12x16xi32>
      %117 = arith.fptosi %102 : f32 to i32
      affine.store %117, %arg2[9, %100] : memref<12x16xi32>
      %118 = arith.bitcast %102 : f32 to i32
      affine.store %118, %arg2[10, %100] : memref<12x16xi32>
      %119 = arith.index_cast %100 : index to i32
      %120 = arith.shli %c1_i32, %119 overflow<nuw> : i32
      affine.store %120, %arg2[11, %100] : memref<12x16xi32>
      %121 = arith.sitofp %101 : i32 to f32
      affine.store %121, %arg3[0, %100] : memref<8x16xf32>
      %122 = arith.uitofp %101 : i32 to f32
      affine.store %122, %arg3[1, %100] : memref<8x16xf32>
      %123 = arith.extf %102 : f32 to f64
      %124 = math.exp %123 : f64
      %125 = arith.truncf %124 : f64 to f32
      affine.store %125, %arg3[2, %100] : memref<8x16xf32>
      %126 = math.absf %102 : f32
      %127 = math.sqrt %126 : f32
      affine.store %127, %arg3[3, %100] : memref<8x16xf32>
      %128 = arith.truncf %102 : f32 to bf16
      %129 = arith.extf %128 : bf16 to f32
      affine.store %129, %arg3[4, %100] : memref<8x16xf32>
      %130 = arith.minnumf %102, %cst : f32
      affine.store %130, %arg3[5, %100] : memref<8x16xf32>
      %131 = arith.negf %102 : f32
      %132 = arith.select %111, %131, %102 : f32
      affine.store %132, %arg3[6, %100] : memref<8x16xf32>
      %133 = math.floor %102 : f32
      affine.store %133, %arg3[7, %100] : memref<8x16xf32>
    }
    %0 = affine.load %arg0[%c15] : memref<16xi32>
    %1 = affine.load %arg1[%c15] : memref<16xf32>
    %2 = arith.divsi %0, %c7_i32 : i32
    affine.store %2, %arg2[0, %c15] : memref<12x16xi32>
    %3 = arith.floordivsi %0, %c7_i32 : i32
    affine.store %3, %arg2[1, %c15] : memref<12x16xi32>
    %4 = arith.remui %0, %c7_i32 : i32
    affine.store %4, %arg2[2, %c15] : memref<12x16xi32>
    %5 = arith.shrui %0, %c31_i32 : i32
    affine.store %5, %arg2[3, %c15] : memref<12x16xi32>
    %6 = arith.maxui %0, %c7_i32 : i32
    affine.store %6, %arg2[4, %c15] : memref<12x16xi32>
    %7 = arith.trunci %0 : i32 to i8
    %8 = arith.extui %7 : i8 to i32
    affine.store %8, %arg2[5, %c15] : memref<12x16xi32>
    %9 = arith.extsi %7 : i8 to i32
    affine.store %9, %arg2[6, %c15] : memref<12x16xi32>
    %10 = arith.cmpi ult, %0, %c7_i32 : i32
    %11 = arith.extui %10 : i1 to i32
    affine.store %11, %arg2[7, %c15] : memref<12x16xi32>
    %12 = arith.cmpf ult, %1, %cst : f32
    %13 = arith.cmpf uno, %1, %1 : f32
    %14 = arith.xori %12, %13 : i1
    %15 = arith.extsi %14 : i1 to i32
    affine.store %15, %arg2[8, %c15] : memref<12x16xi32>
    %16 = arith.fptosi %1 : f32 to i32
    affine.store %16, %arg2[9, %c15] : memref<12x16xi32>
    %17 = arith.bitcast %1 : f32 to i32
    affine.store %17, %arg2[10, %c15] : memref<12x16xi32>
    %18 = arith.index_cast %c15 : index to i32
    %19 = arith.shli %c1_i32, %18 overflow<nuw> : i32
    affine.store %19, %arg2[11, %c15] : memref<12x16xi32>
    %20 = arith.sitofp %0 : i32 to f32
    affine.store %20, %arg3[0, %c15] : memref<8x16xf32>
    %21 = arith.uitofp %0 : i32 to f32
    affine.store %21, %arg3[1, %c15] : memref<8x16xf32>
    %22 = arith.extf %1 : f32 to f64
    %23 = math.exp %22 : f64
    %24 = arith.truncf %23 : f64 to f32
    affine.store %24, %arg3[2, %c15] : memref<8x16xf32>
    %25 = math.absf %1 : f32
    %26 = math.sqrt %25 : f32
    affine.store %26, %arg3[3, %c15] : memref<8x16xf32>
    %27 = arith.truncf %1 : f32 to bf16
    %28 = arith.extf %27 : bf16 to f32
    affine.store %28, %arg3[4, %c15] : memref<8x16xf32>
    %29 = arith.minnumf %1, %cst : f32
    affine.store %29, %arg3[5, %c15] : memref<8x16xf32>
    %30 = arith.negf %1 : f32
    %31 = arith.select %10, %30, %1 : f32
    affine.store %31, %arg3[6, %c15] : memref<8x16xf32>
    %32 = math.floor %1 : f32
    affine.store %32, %arg3[7, %c15] : memref<8x16xf32>
    return
  }
}

