#map = affine_map<(d0) -> (d0 + 1)>
#map1 = affine_map<(d0) -> (d0 + 2)>
#map2 = affine_map<(d0) -> (d0 + 3)>
module {
  func.func @f(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>) {
    %c1_i32 = arith.constant 1 : i32
    %c7_i32 = arith.constant 7 : i32
    %c31_i32 = arith.constant 31 : i32
    %cst = arith.constant 5.000000e-01 : f32
    affine.for %arg4 = 0 to 16 step 4 {
      %0 = affine.load %arg0[%arg4] : memref<16xi32>
      %1 = affine.load %arg1[%arg4] : memref<16xf32>
      %2 = arith.divsi %0, %c7_i32 : i32
      affine.store %2, %arg2[0, %arg4] : memref<12x16xi32>
      %3 = arith.floordivsi %0, %c7_i32 : i32
      affine.store %3, %arg2[1, %arg4] : memref<12x16xi32>
      %4 = arith.remui %0, %c7_i32 : i32
      affine.store %4, %arg2[2, %arg4] : memref<12x16xi32>
      %5 = arith.shrui %0, %c31_i32 : i32
      affine.store %5, %arg2[3, %arg4] : memref<12x16xi32>
      %6 = arith.maxui %0, %c7_i32 : i32
      affine.store %6, %arg2[4, %arg4] : memref<12x16xi32>
      %7 = arith.trunci %0 : i32 to i8
      %8 = arith.extui %7 : i8 to i32
      affine.store %8, %arg2[5, %arg4] : memref<12x16xi32>
      %9 = arith.extsi %7 : i8 to i32
      affine.store %9, %arg2[6, %arg4] : memref<12x16xi32>
      %10 = arith.cmpi ult, %0, %c7_i32 : i32
      %11 = arith.extui %10 : i1 to i32
      affine.store %11, %arg2[7, %arg4] : memref<12x16xi32>
      %12 = arith.cmpf ult, %1, %cst : f32
      %13 = arith.cmpf uno, %1, %1 : f32
      %14 = arith.xori %12, %13 : i1
      %15 = arith.extsi %14 : i1 to i32
      affine.store %15, %arg2[8, %arg4] : memref<12x16xi32>
      %16 = arith.fptosi %1 : f32 to i32
      affine.store %16, %arg2[9, %arg4] : memref<12x16xi32>
      %17 = arith.bitcast %1 : f32 to i32
      affine.store %17, %arg2[10, %arg4] : memref<12x16xi32>
      %18 = arith.index_cast %arg4 : index to i32
      %19 = arith.shli %c1_i32, %18 overflow<nuw> : i32
      affine.store %19, %arg2[11, %arg4] : memref<12x16xi32>
      %20 = arith.sitofp %0 : i32 to f32
      affine.store %20, %arg3[0, %arg4] : memref<8x16xf32>
      %21 = arith.uitofp %0 : i32 to f32
      affine.store %21, %arg3[1, %arg4] : memref<8x16xf32>
      %22 = arith.extf %1 : f32 to f64
      %23 = math.exp %22 : f64
      %24 = arith.truncf %23 : f64 to f32
      affine.store %24, %arg3[2, %arg4] : memref<8x16xf32>
      %25 = math.absf %1 : f32
      %26 = math.sqrt %25 : f32
      affine.store %26, %arg3[3, %arg4] : memref<8x16xf32>
      %27 = arith.truncf %1 : f32 to bf16
      %28 = arith.extf %27 : bf16 to f32
      affine.store %28, %arg3[4, %arg4] : memref<8x16xf32>
      %29 = arith.minnumf %1, %cst : f32
      affine.store %29, %arg3[5, %arg4] : memref<8x16xf32>
      %30 = arith.negf %1 : f32
      %31 = arith.select %10, %30, %1 : f32
      affine.store %31, %arg3[6, %arg4] : memref<8x16xf32>
      %32 = math.floor %1 : f32
      affine.store %32, %arg3[7, %arg4] : memref<8x16xf32>
      %33 = affine.apply #map(%arg4)
      %34 = affine.load %arg0[%33] : memref<16xi32>
      %35 = affine.load %arg1[%33] : memref<16xf32>
      %36 = arith.divsi %34, %c7_i32 : i32
      affine.store %36, %arg2[0, %33] : memref<12x16xi32>
      %37 = arith.floordivsi %34, %c7_i32 : i32
      affine.store %37, %arg2[1, %33] : memref<12x16xi32>
      %38 = arith.remui %34, %c7_i32 : i32
      affine.store %38, %arg2[2, %33] : memref<12x16xi32>
      %39 = arith.shrui %34, %c31_i32 : i32
      affine.store %39, %arg2[3, %33] : memref<12x16xi32>
      %40 = arith.maxui %34, %c7_i32 : i32
      affine.store %40, %arg2[4, %33] : memref<12x16xi32>
      %41 = arith.trunci %34 : i32 to i8
      %42 = arith.extui %41 : i8 to i32
      affine.store %42, %arg2[5, %33] : memref<12x16xi32>
      %43 = arith.extsi %41 : i8 to i32
      affine.store %43, %arg2[6, %33] : memref<12x16xi32>
      %44 = arith.cmpi ult, %34, %c7_i32 : i32
      %45 = arith.extui %44 : i1 to i32
      affine.store %45, %arg2[7, %33] : memref<12x16xi32>
      %46 = arith.cmpf ult, %35, %cst : f32
      %47 = arith.cmpf uno, %35, %35 : f32
      %48 = arith.xori %46, %47 : i1
      %49 = arith.extsi %48 : i1 to i32
      affine.store %49, %arg2[8, %33] : memref<12x16xi32>
      %50 = arith.fptosi %35 : f32 to i32
      affine.store %50, %arg2[9, %33] : memref<12x16xi32>
      %51 = arith.bitcast %35 : f32 to i32
      affine.store %51, %arg2[10, %33] : memref<12x16xi32>
      %52 = arith.index_cast %33 : index to i32
      %53 = arith.shli %c1_i32, %52 overflow<nuw> : i32
      affine.store %53, %arg2[11, %33] : memref<12x16xi32>
      %54 = arith.sitofp %34 : i32 to f32
      affine.store %54, %arg3[0, %33] : memref<8x16xf32>
      %55 = arith.uitofp %34 : i32 to f32
      affine.store %55, %arg3[1, %33] : memref<8x16xf32>
      %56 = arith.extf %35 : f32 to f64
      %57 = math.exp %56 : f64
      %58 = arith.truncf %57 : f64 to f32
      affine.store %58, %arg3[2, %33] : memref<8x16xf32>
      %59 = math.absf %35 : f32
      %60 = math.sqrt %59 : f32
      affine.store %60, %arg3[3, %33] : memref<8x16xf32>
      %61 = arith.truncf %35 : f32 to bf16
      %62 = arith.extf %61 : bf16 to f32
      affine.store %62, %arg3[4, %33] : memref<8x16xf32>
      %63 = arith.minnumf %35, %cst : f32
      affine.store %63, %arg3[5, %33] : memref<8x16xf32>
      %64 = arith.negf %35 : f32
      %65 = arith.select %44, %64, %35 : f32
      affine.store %65, %arg3[6, %33] : memref<8x16xf32>
      %66 = math.floor %35 : f32
      affine.store %66, %arg3[7, %33] : memref<8x16xf32>
      %67 = affine.apply #map1(%arg4)
      %68 = affine.load %arg0[%67] : memref<16xi32>
      %69 = affine.load %arg1[%67] : memref<16xf32>
      %70 = arith.divsi %68, %c7_i32 : i32
      affine.store %70, %arg2[0, %67] : memref<12x16xi32>
      %71 = arith.floordivsi %68, %c7_i32 : i32
      affine.store %71, %arg2[1, %67] : memref<12x16xi32>
      %72 = arith.remui %68, %c7_i32 : i32
      affine.store %72, %arg2[2, %67] : memref<12x16xi32>
      %73 = arith.shrui %68, %c31_i32 : i32
      affine.store %73, %arg2[3, %67] : memref<12x16xi32>
      %74 = arith.maxui %68, %c7_i32 : i32
      affine.store %74, %arg2[4, %67] : memref<12x16xi32>
      %75 = arith.trunci %68 : i32 to i8
      %76 = arith.extui %75 : i8 to i32
      affine.store %76, %arg2[5, %67] : memref<12x16xi32>
      %77 = arith.extsi %75 : i8 to i32
      affine.store %77, %arg2[6, %67] : memref<12x16xi32>
      %78 = arith.cmpi ult, %68, %c7_i32 : i32
      %79 = arith.extui %78 : i1 to i32
      affine.store %79, %arg2[7, %67] : memref<12x16xi32>
      %80 = arith.cmpf ult, %69, %cst : f32
      %81 = arith.cmpf uno, %69, %69 : f32
      %82 = arith.xori %80, %81 : i1
      %83 = arith.extsi %82 : i1 to i32
      affine.store %83, %arg2[8, %67] : memref<12x16xi32>
      %84 = arith.fptosi %69 : f32 to i32
      affine.store %84, %arg2[9, %67] : memref<12x16xi32>
      %85 = arith.bitcast %69 : f32 to i32
      affine.store %85, %arg2[10, %67] : memref<12x16xi32>
      %86 = arith.index_cast %67 : index to i32
      %87 = arith.shli %c1_i32, %86 overflow<nuw> : i32
      affine.store %87, %arg2[11, %67] : memref<12x16xi32>
      %88 = arith.sitofp %68 : i32 to f32
      affine.store %88, %arg3[0, %67] : memref<8x16xf32>
      %89 = arith.uitofp %68 : i32 to f32
      affine.store %89, %arg3[1, %67] : memref<8x16xf32>
      %90 = arith.extf %69 : f32 to f64
      %91 = math.exp %90 : f64
      %92 = arith.truncf %91 : f64 to f32
      affine.store %92, %arg3[2, %67] : memref<8x16xf32>
      %93 = math.absf %69 : f32
      %94 = math.sqrt %93 : f32
      affine.store %94, %arg3[3, %67] : memref<8x16xf32>
      %95 = arith.truncf %69 : f32 to bf16
      %96 = arith.extf %95 : bf16 to f32
      affine.store %96, %arg3[4, %67] : memref<8x16xf32>
      %97 = arith.minnumf %69, %cst : f32
      affine.store %97, %arg3[5, %67] : memref<8x16xf32>
      %98 = arith.negf %69 : f32
      %99 = arith.select %78, %98, %69 : f32
      affine.store %99, %arg3[6, %67] : memref<8x16xf32>
      %100 = math.floor %69 : f32
      affine.store %100, %arg3[7, %67] : memref<8x16xf32>
      %101 = affine.apply #map2(%arg4)
      %102 = affine.load %arg0[%101] : memref<16xi32>
      %103 = affine.load %arg1[%101] : memref<16xf32>
      %104 = arith.divsi %102, %c7_i32 : i32
      affine.store %104, %arg2[0, %101] : memref<12x16xi32>
      %105 = arith.floordivsi %102, %c7_i32 : i32
      affine.store %105, %arg2[1, %101] : memref<12x16xi32>
      %106 = arith.remui %102, %c7_i32 : i32
      affine.store %106, %arg2[2, %101] : memref<12x16xi32>
      %107 = arith.shrui %102, %c31_i32 : i32
      affine.store %107, %arg2[3, %101] : memref<12x16xi32>
      %108 = arith.maxui %102, %c7_i32 : i32
      affine.store %108, %arg2[4, %101] : memref<12x16xi32>
      %109 = arith.trunci %102 : i32 to i8
      %110 = arith.extui %109 : i8 to i32
      affine.store %110, %arg2[5, %101] : memref<12x16xi32>
      %111 = arith.extsi %109 : i8 to i32
      affine.store %111, %arg2[6, %101] : memref<12x16xi32>
      %112 = arith.cmpi ult, %102, %c7_i32 : i32
      %113 = arith.extui %112 : i1 to i32
      affine.store %113, %arg2[7, %101] : memref<12x16xi32>
      %114 = arith.cmpf ult, %103, %cst : f32
      %115 = arith.cmpf uno, %103, %103 : f32
      %116 = arith.xori %114, %115 : i1
      %117 = arith.extsi %116 : i1 to i32
      affine.store %117, %arg2[8, %101] : memref<12x16xi32>
      %118 = arith.fptosi %103 : f32 to i32
      affine.store %118, %arg2[9, %101] : memref<12x16xi32>
      %119 = arith.bitcast %103 : f32 to i32
      affine.store %119, %arg2[10, %101] : memref<12x16xi32>
      %120 = arith.index_cast %101 : index to i32
      %121 = arith.shli %c1_i32, %120 overflow<nuw> : i32
      affine.store %121, %arg2[11, %101] : memref<12x16xi32>
      %122 = arith.sitofp %102 : i32 to f32
      affine.store %122, %arg3[0, %101] : memref<8x16xf32>
      %123 = arith.uitofp %102 : i32 to f32
      affine.store %123, %arg3[1, %101] : memref<8x16xf32>
      %124 = arith.extf %103 : f32 to f64
      %125 = math.exp %124 : f64
      %126 = arith.truncf %125 : f64 to f32
      affine.store %126, %arg3[2, %101] : memref<8x16xf32>
      %127 = math.absf %103 : f32
      %128 = math.sqrt %127 : f32
      affine.store %128, %arg3[3, %101] : memref<8x16xf32>
      %129 = arith.truncf %103 : f32 to bf16
      %130 = arith.extf %129 : bf16 to f32
      affine.store %130, %arg3[4, %101] : memref<8x16xf32>
      %131 = arith.minnumf %103, %cst : f32
      affine.store %131, %arg3[5, %101] : memref<8x16xf32>
      %132 = arith.negf %103 : f32
      %133 = arith.select %112, %132, %103 : f32
      affine.store %133, %arg3[6, %101] : memref<8x16xf32>
      %134 = math.floor %103 : f32
      affine.store %134, %arg3[7, %101] : memref<8x16xf32>
    }
    return
  }
}

