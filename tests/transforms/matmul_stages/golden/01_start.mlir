// ----- 1 start: three loops over 8192 rows, 8192 columns and 8192 summed elements -----
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8192x8192xf16>, memref<8192x8192xf16>, memref<8192x8192xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%A: memref<8192x8192xf16>, %B: memref<8192x8192xf16>, %C: memref<8192x8192xf32>):
    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
    ^bb0(%i: index):
      "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
      ^bb0(%j: index):
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
        ^bb0(%k: index):
          %a = "affine.load"(%A, %i, %k) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
          %b = "affine.load"(%B, %k, %j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
          %c = "affine.load"(%C, %i, %j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf32>, index, index) -> f32
          %0 = "arith.extf"(%a) : (f16) -> f32
          %1 = "arith.extf"(%b) : (f16) -> f32
          %2 = "arith.mulf"(%0, %1) : (f32, f32) -> f32
          %3 = "arith.addf"(%c, %2) : (f32, f32) -> f32
          "affine.store"(%3, %C, %i, %j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (f32, memref<8192x8192xf32>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

