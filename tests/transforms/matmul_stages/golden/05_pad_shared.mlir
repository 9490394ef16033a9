// ----- 5 pad_shared: %b_smem memref<64x136xf16, 3>: bank conflicts 8 -> 1; %a_smem memref<128x72xf16, 3>: bank conflicts 8 -> 1 -----
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8192x8192xf16>, memref<8192x8192xf16>, memref<8192x8192xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%A: memref<8192x8192xf16>, %B: memref<8192x8192xf16>, %C: memref<8192x8192xf32>):
    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 128 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
    ^bb0(%i: index):
      "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 128 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
      ^bb0(%j: index):
        %b_smem = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64x136xf16, 3>
        %a_smem = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<128x72xf16, 3>
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 64 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
        ^bb0(%k: index):
          "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
          ^bb0(%copy_k: index):
            "affine.for"(%j, %j) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
            ^bb0(%copy_j: index):
              %5 = "affine.load"(%B, %copy_k, %copy_j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
              "affine.store"(%5, %b_smem, %copy_k, %k, %copy_j, %j) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<64x136xf16, 3>, index, index, index, index) -> ()
              "affine.yield"() : () -> ()
            }) : (index, index) -> ()
            "affine.yield"() : () -> ()
          }) : (index, index) -> ()
          "affine.for"(%i, %i) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
          ^bb0(%copy_i: index):
            "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
            ^bb0(%copy_k: index):
              %4 = "affine.load"(%A, %copy_i, %copy_k) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
              "affine.store"(%4, %a_smem, %copy_i, %i, %copy_k, %k) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<128x72xf16, 3>, index, index, index, index) -> ()
              "affine.yield"() : () -> ()
            }) : (index, index) -> ()
            "affine.yield"() : () -> ()
          }) : (index, index) -> ()
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
                      %a = "affine.load"(%a_smem, %ii, %iii, %kk, %kkk) <{map = affine_map<(d0, d1, d2, d3) -> (d0 + d1, d2 + d3)>}> : (memref<128x72xf16, 3>, index, index, index, index) -> f16
                      %b = "affine.load"(%b_smem, %kk, %kkk, %jj, %jjj) <{map = affine_map<(d0, d1, d2, d3) -> (d0 + d1, d2 + d3)>}> : (memref<64x136xf16, 3>, index, index, index, index) -> f16
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
        "memref.dealloc"(%a_smem) : (memref<128x72xf16, 3>) -> ()
        "memref.dealloc"(%b_smem) : (memref<64x136xf16, 3>) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.yield"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

