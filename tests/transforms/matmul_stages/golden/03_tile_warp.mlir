// ----- 3 tile_warp: tiles of 64x32x32: 8 warps a block -----
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8192x8192xf16>, memref<8192x8192xf16>, memref<8192x8192xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%A: memref<8192x8192xf16>, %B: memref<8192x8192xf16>, %C: memref<8192x8192xf32>):
    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 128 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
    ^bb0(%i: index):
      "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 128 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
      ^bb0(%j: index):
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 64 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
        ^bb0(%k: index):
          "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 64 : index, upperBoundMap = affine_map<() -> (128)>}> ({
          ^bb0(%ii: index):
            "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 32 : index, upperBoundMap = affine_map<() -> (128)>}> ({
            ^bb0(%jj: index):
              "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%kk: index):
                "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (64)>}> ({
                ^bb0(%iii: index):
                  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (32)>}> ({
                  ^bb0(%jjj: index):
                    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (32)>}> ({
                    ^bb0(%kkk: index):
                      %a = "affine.load"(%A, %i, %ii, %iii, %k, %kk, %kkk) <{map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d1 + d2, d3 + d4 + d5)>}> : (memref<8192x8192xf16>, index, index, index, index, index, index) -> f16
                      %b = "affine.load"(%B, %k, %kk, %kkk, %j, %jj, %jjj) <{map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d1 + d2, d3 + d4 + d5)>}> : (memref<8192x8192xf16>, index, index, index, index, index, index) -> f16
                      %c = "affine.load"(%C, %i, %ii, %iii, %j, %jj, %jjj) <{map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d1 + d2, d3 + d4 + d5)>}> : (memref<8192x8192xf32>, index, index, index, index, index, index) -> f32
                      %0 = "arith.extf"(%a) : (f16) -> f32
                      %1 = "arith.extf"(%b) : (f16) -> f32
                      %2 = "arith.mulf"(%0, %1) : (f32, f32) -> f32
                      %3 = "arith.addf"(%c, %2) : (f32, f32) -> f32
                      "affine.store"(%3, %C, %i, %ii, %iii, %j, %jj, %jjj) <{map = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0 + d1 + d2, d3 + d4 + d5)>}> : (f32, memref<8192x8192xf32>, index, index, index, index, index, index) -> ()
                      "affine.yield"() : () -> ()
                    }) : () -> ()
                    "affine.yield"() : () -> ()
                  }) : () -> ()
                  "affine.yield"() : () -> ()
                }) : () -> ()
                "affine.yield"() : () -> ()
              }) : () -> ()
              "affine.yield"() : () -> ()
            }) : () -> ()
            "affine.yield"() : () -> ()
          }) : () -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

