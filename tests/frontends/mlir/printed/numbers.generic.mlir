#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (0, d0)>
#map2 = affine_map<(d0) -> (1, d0)>
#map3 = affine_map<(d0) -> (2, d0)>
#map4 = affine_map<(d0) -> (3, d0)>
#map5 = affine_map<(d0) -> (4, d0)>
#map6 = affine_map<(d0) -> (5, d0)>
#map7 = affine_map<(d0) -> (6, d0)>
#map8 = affine_map<(d0) -> (7, d0)>
#map9 = affine_map<(d0) -> (8, d0)>
#map10 = affine_map<(d0) -> (9, d0)>
#map11 = affine_map<(d0) -> (10, d0)>
#map12 = affine_map<(d0) -> (11, d0)>
#map13 = affine_map<() -> (0)>
#map14 = affine_map<() -> (16)>
"builtin.module"() ({
  "func.func"() <{function_type = (memref<16xi32>, memref<16xf32>, memref<12x16xi32>, memref<8x16xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%arg0: memref<16xi32>, %arg1: memref<16xf32>, %arg2: memref<12x16xi32>, %arg3: memref<8x16xf32>):
    %0 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %1 = "arith.constant"() <{value = 7 : i32}> : () -> i32
    %2 = "arith.constant"() <{value = 31 : i32}> : () -> i32
    %3 = "arith.constant"() <{value = 5.000000e-01 : f32}> : () -> f32
    "affine.for"() <{lowerBoundMap = #map13, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = #map14}> ({
    ^bb0(%arg4: index):
      %4 = "affine.load"(%arg0, %arg4) <{map = #map}> : (memref<16xi32>, index) -> i32
      %5 = "affine.load"(%arg1, %arg4) <{map = #map}> : (memref<16xf32>, index) -> f32
      %6 = "arith.divsi"(%4, %1) : (i32, i32) -> i32
      "affine.store"(%6, %arg2, %arg4) <{map = #map1}> : (i32, memref<12x16xi32>, index) -> ()
      %7 = "arith.floordivsi"(%4, %1) : (i32, i32) -> i32
      "affine.store"(%7, %arg2, %arg4) <{map = #map2}> : (i32, memref<12x16xi32>, index) -> ()
      %8 = "arith.remui"(%4, %1) : (i32, i32) -> i32
      "affine.store"(%8, %arg2, %arg4) <{map = #map3}> : (i32, memref<12x16xi32>, index) -> ()
      %9 = "arith.shrui"(%4, %2) : (i32, i32) -> i32
      "affine.store"(%9, %arg2, %arg4) <{map = #map4}> : (i32, memref<12x16xi32>, index) -> ()
      %10 = "arith.maxui"(%4, %1) : (i32, i32) -> i32
      "affine.store"(%10, %arg2, %arg4) <{map = #map5}> : (i32, memref<12x16xi32>, index) -> ()
      %11 = "arith.trunci"(%4) : (i32) -> i8
      %12 = "arith.extui"(%11) : (i8) -> i32
      "affine.store"(%12, %arg2, %arg4) <{map = #map6}> : (i32, memref<12x16xi32>, index) -> ()
      %13 = "arith.extsi"(%11) : (i8) -> i32
      "affine.store"(%13, %arg2, %arg4) <{map = #map7}> : (i32, memref<12x16xi32>, index) -> ()
      %14 = "arith.cmpi"(%4, %1) <{predicate = 6 : i64}> : (i32, i32) -> i1
      %15 = "arith.extui"(%14) : (i1) -> i32
      "affine.store"(%15, %arg2, %arg4) <{map = #map8}> : (i32, memref<12x16xi32>, index) -> ()
      %16 = "arith.cmpf"(%5, %3) <{fastmath = #arith.fastmath<none>, predicate = 11 : i64}> : (f32, f32) -> i1
      %17 = "arith.cmpf"(%5, %5) <{fastmath = #arith.fastmath<none>, predicate = 14 : i64}> : (f32, f32) -> i1
      %18 = "arith.xori"(%16, %17) : (i1, i1) -> i1
      %19 = "arith.extsi"(%18) : (i1) -> i32
      "affine.store"(%19, %arg2, %arg4) <{map = #map9}> : (i32, memref<12x16xi32>, index) -> ()
      %20 = "arith.fptosi"(%5) : (f32) -> i32
      "affine.store"(%20, %arg2, %arg4) <{map = #map10}> : (i32, memref<12x16xi32>, index) -> ()
      %21 = "arith.bitcast"(%5) : (f32) -> i32
      "affine.store"(%21, %arg2, %arg4) <{map = #map11}> : (i32, memref<12x16xi32>, index) -> ()
      %22 = "arith.index_cast"(%arg4) : (index) -> i32
      %23 = "arith.shli"(%0, %22) <{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32
      "affine.store"(%23, %arg2, %arg4) <{map = #map12}> : (i32, memref<12x16xi32>, index) -> ()
      %24 = "arith.sitofp"(%4) : (i32) -> f32
      "affine.store"(%24, %arg3, %arg4) <{map = #map1}> : (f32, memref<8x16xf32>, index) -> ()
      %25 = "arith.uitofp"(%4) : (i32) -> f32
      "affine.store"(%25, %arg3, %arg4) <{map = #map2}> : (f32, memref<8x16xf32>, index) -> ()
      %26 = "arith.extf"(%5) : (f32) -> f64
      %27 = "math.exp"(%26) <{fastmath = #arith.fastmath<none>}> : (f64) -> f64
      %28 = "arith.truncf"(%27) : (f64) -> f32
      "affine.store"(%28, %arg3, %arg4) <{map = #map3}> : (f32, memref<8x16xf32>, index) -> ()
      %29 = "math.absf"(%5) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %30 = "math.sqrt"(%29) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "affine.store"(%30, %arg3, %arg4) <{map = #map4}> : (f32, memref<8x16xf32>, index) -> ()
      %31 = "arith.truncf"(%5) : (f32) -> bf16
      %32 = "arith.extf"(%31) : (bf16) -> f32
      "affine.store"(%32, %arg3, %arg4) <{map = #map5}> : (f32, memref<8x16xf32>, index) -> ()
      %33 = "arith.minnumf"(%5, %3) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
      "affine.store"(%33, %arg3, %arg4) <{map = #map6}> : (f32, memref<8x16xf32>, index) -> ()
      %34 = "arith.negf"(%5) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      %35 = "arith.select"(%14, %34, %5) : (i1, f32, f32) -> f32
      "affine.store"(%35, %arg3, %arg4) <{map = #map7}> : (f32, memref<8x16xf32>, index) -> ()
      %36 = "math.floor"(%5) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
      "affine.store"(%36, %arg3, %arg4) <{map = #map8}> : (f32, memref<8x16xf32>, index) -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

