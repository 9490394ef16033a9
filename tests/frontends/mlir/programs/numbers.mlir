// Conversions, comparisons, integers with and without sign, functions.
func.func @f(%X: memref<16xi32>, %F: memref<16xf32>, %I: memref<12x16xi32>, %G: memref<8x16xf32>) {
  %c1 = arith.constant 1 : i32
  %c7 = arith.constant 7 : i32
  %c31 = arith.constant 31 : i32
  %half = arith.constant 5.0e-01 : f32
  affine.for %i = 0 to 16 {
    %x = affine.load %X[%i] : memref<16xi32>
    %f = affine.load %F[%i] : memref<16xf32>
    %0 = arith.divsi %x, %c7 : i32
    affine.store %0, %I[0, %i] : memref<12x16xi32>
    %1 = arith.floordivsi %x, %c7 : i32
    affine.store %1, %I[1, %i] : memref<12x16xi32>
    %2 = arith.remui %x, %c7 : i32
    affine.store %2, %I[2, %i] : memref<12x16xi32>
    %3 = arith.shrui %x, %c31 : i32
    affine.store %3, %I[3, %i] : memref<12x16xi32>
    %4 = arith.maxui %x, %c7 : i32
    affine.store %4, %I[4, %i] : memref<12x16xi32>
    %5 = arith.trunci %x : i32 to i8
    %6 = arith.extui %5 : i8 to i32
    affine.store %6, %I[5, %i] : memref<12x16xi32>
    %7 = arith.extsi %5 : i8 to i32
    affine.store %7, %I[6, %i] : memref<12x16xi32>
    %8 = arith.cmpi ult, %x, %c7 : i32
    %9 = arith.extui %8 : i1 to i32
    affine.store %9, %I[7, %i] : memref<12x16xi32>
    %10 = arith.cmpf ult, %f, %half : f32
    %11 = arith.cmpf uno, %f, %f : f32
    %12 = arith.xori %10, %11 : i1
    %13 = arith.extsi %12 : i1 to i32
    affine.store %13, %I[8, %i] : memref<12x16xi32>
    %14 = arith.fptosi %f : f32 to i32
    affine.store %14, %I[9, %i] : memref<12x16xi32>
    %15 = arith.bitcast %f : f32 to i32
    affine.store %15, %I[10, %i] : memref<12x16xi32>
    %16 = arith.index_cast %i : index to i32
    %17 = arith.shli %c1, %16 overflow<nuw> : i32
    affine.store %17, %I[11, %i] : memref<12x16xi32>
    %20 = arith.sitofp %x : i32 to f32
    affine.store %20, %G[0, %i] : memref<8x16xf32>
    %21 = arith.uitofp %x : i32 to f32
    affine.store %21, %G[1, %i] : memref<8x16xf32>
    %22 = arith.extf %f : f32 to f64
    %23 = math.exp %22 : f64
    %24 = arith.truncf %23 : f64 to f32
    affine.store %24, %G[2, %i] : memref<8x16xf32>
    %25 = math.absf %f : f32
    %26 = math.sqrt %25 : f32
    affine.store %26, %G[3, %i] : memref<8x16xf32>
    %27 = arith.truncf %f : f32 to bf16
    %28 = arith.extf %27 : bf16 to f32
    affine.store %28, %G[4, %i] : memref<8x16xf32>
    %29 = arith.minnumf %f, %half : f32
    affine.store %29, %G[5, %i] : memref<8x16xf32>
    %30 = arith.negf %f : f32
    %31 = arith.select %8, %30, %f : f32
    affine.store %31, %G[6, %i] : memref<8x16xf32>
    %32 = math.floor %f : f32
    affine.store %32, %G[7, %i] : memref<8x16xf32>
  }
  return
}
