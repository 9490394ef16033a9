// ----- 8 permute_inner: loops over kkk, iii, jjj -----
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8192x8192xf16>, memref<8192x8192xf16>, memref<8192x8192xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%A: memref<8192x8192xf16>, %B: memref<8192x8192xf16>, %C: memref<8192x8192xf32>):
    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 128 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
    ^bb0(%i: index):
      "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 128 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
      ^bb0(%j: index):
        %b_smem = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64x136xf16, 3>
        %a_smem = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<128x72xf16, 3>
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 64 : index, upperBoundMap = affine_map<() -> (128)>}> ({
        ^bb0(%ii: index):
          "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 32 : index, upperBoundMap = affine_map<() -> (128)>}> ({
          ^bb0(%jj: index):
            "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 64 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
            ^bb0(%k: index):
              "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
              ^bb0(%copy_k: index):
                "affine.for"(%j, %j) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
                ^bb0(%copy_j: index):
                  %7 = "affine.load"(%B, %copy_k, %copy_j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
                  "affine.store"(%7, %b_smem, %copy_k, %k, %copy_j, %j) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<64x136xf16, 3>, index, index, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              "affine.for"(%i, %i) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
              ^bb0(%copy_i: index):
                "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
                ^bb0(%copy_k: index):
                  %6 = "affine.load"(%A, %copy_i, %copy_k) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
                  "affine.store"(%6, %a_smem, %copy_i, %i, %copy_k, %k) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<128x72xf16, 3>, index, index, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%kk: index):
                "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 16 : index, upperBoundMap = affine_map<() -> (32)>}> ({
                ^bb0(%kkk: index):
                  "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 16 : index, upperBoundMap = affine_map<() -> (64)>}> ({
                  ^bb0(%iii: index):
                    "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 16 : index, upperBoundMap = affine_map<() -> (32)>}> ({
                    ^bb0(%jjj: index):
                      %0 = "affine.apply"(%ii, %iii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                      %1 = "affine.apply"(%kk, %kkk) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                      %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %0, %1) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                      %2 = "affine.apply"(%kk, %kkk) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                      %3 = "affine.apply"(%jj, %jjj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                      %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %2, %3) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                      %4 = "affine.apply"(%i, %ii, %iii) <{map = affine_map<(d0, d1, d2) -> (d0 + d1 + d2)>}> : (index, index, index) -> index
                      %5 = "affine.apply"(%j, %jj, %jjj) <{map = affine_map<(d0, d1, d2) -> (d0 + d1 + d2)>}> : (index, index, index) -> index
                      %c = "gpu.subgroup_mma_load_matrix"(%C, %4, %5) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                      %res = "gpu.subgroup_mma_compute"(%a, %b, %c) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                      "gpu.subgroup_mma_store_matrix"(%res, %C, %4, %5) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
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

