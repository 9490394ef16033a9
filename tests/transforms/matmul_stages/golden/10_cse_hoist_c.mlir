// ----- 10 cse_hoist_c: 48 -> 12 reads of matrices in a step along kk, 8 sums carried -----
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
            %0 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
            %1 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
            %c_reg_0 = "gpu.subgroup_mma_load_matrix"(%C, %0, %1) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %2 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
            %3 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
            %c_reg_1 = "gpu.subgroup_mma_load_matrix"(%C, %2, %3) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %4 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
            %5 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
            %c_reg_2 = "gpu.subgroup_mma_load_matrix"(%C, %4, %5) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %6 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
            %7 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
            %c_reg_3 = "gpu.subgroup_mma_load_matrix"(%C, %6, %7) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %8 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
            %9 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
            %c_reg_4 = "gpu.subgroup_mma_load_matrix"(%C, %8, %9) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %10 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
            %11 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
            %c_reg_5 = "gpu.subgroup_mma_load_matrix"(%C, %10, %11) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %12 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
            %13 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
            %c_reg_6 = "gpu.subgroup_mma_load_matrix"(%C, %12, %13) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %14 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
            %15 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
            %c_reg_7 = "gpu.subgroup_mma_load_matrix"(%C, %14, %15) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
            %16:8 = "affine.for"(%c_reg_0, %c_reg_1, %c_reg_2, %c_reg_3, %c_reg_4, %c_reg_5, %c_reg_6, %c_reg_7) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 64 : index, upperBoundMap = affine_map<() -> (8192)>}> ({
            ^bb0(%k: index, %c_reg_0_0: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_1: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_2: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_3: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_4: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_5: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_6: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_7: !gpu.mma_matrix<16x16xf32, "COp">):
              "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
              ^bb0(%copy_k: index):
                "affine.for"(%j, %j) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
                ^bb0(%copy_j: index):
                  %43 = "affine.load"(%B, %copy_k, %copy_j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
                  "affine.store"(%43, %b_smem, %copy_k, %k, %copy_j, %j) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<64x136xf16, 3>, index, index, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              "affine.for"(%i, %i) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
              ^bb0(%copy_i: index):
                "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
                ^bb0(%copy_k: index):
                  %42 = "affine.load"(%A, %copy_i, %copy_k) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
                  "affine.store"(%42, %a_smem, %copy_i, %i, %copy_k, %k) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<128x72xf16, 3>, index, index, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              %17:8 = "affine.for"(%c_reg_0_0, %c_reg_1_1, %c_reg_2_2, %c_reg_3_3, %c_reg_4_4, %c_reg_5_5, %c_reg_6_6, %c_reg_7_7) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%kk: index, %c_reg_0_8: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_9: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_10: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_11: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_12: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_13: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_14: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_15: !gpu.mma_matrix<16x16xf32, "COp">):
                %18 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %19 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %18, %19) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %20 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %21 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %20, %21) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res = "gpu.subgroup_mma_compute"(%a, %b, %c_reg_0_8) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %22 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %23 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_16 = "gpu.subgroup_mma_load_matrix"(%b_smem, %22, %23) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res_17 = "gpu.subgroup_mma_compute"(%a, %b_16, %c_reg_1_9) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %24 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %25 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_18 = "gpu.subgroup_mma_load_matrix"(%a_smem, %24, %25) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_19 = "gpu.subgroup_mma_compute"(%a_18, %b, %c_reg_2_10) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_20 = "gpu.subgroup_mma_compute"(%a_18, %b_16, %c_reg_3_11) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %26 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %27 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_21 = "gpu.subgroup_mma_load_matrix"(%a_smem, %26, %27) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_22 = "gpu.subgroup_mma_compute"(%a_21, %b, %c_reg_4_12) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_23 = "gpu.subgroup_mma_compute"(%a_21, %b_16, %c_reg_5_13) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %28 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %29 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_24 = "gpu.subgroup_mma_load_matrix"(%a_smem, %28, %29) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_25 = "gpu.subgroup_mma_compute"(%a_24, %b, %c_reg_6_14) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_26 = "gpu.subgroup_mma_compute"(%a_24, %b_16, %c_reg_7_15) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %30 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %31 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_27 = "gpu.subgroup_mma_load_matrix"(%a_smem, %30, %31) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %32 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %33 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_28 = "gpu.subgroup_mma_load_matrix"(%b_smem, %32, %33) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res_29 = "gpu.subgroup_mma_compute"(%a_27, %b_28, %res) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %34 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %35 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_30 = "gpu.subgroup_mma_load_matrix"(%b_smem, %34, %35) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res_31 = "gpu.subgroup_mma_compute"(%a_27, %b_30, %res_17) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %36 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %37 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_32 = "gpu.subgroup_mma_load_matrix"(%a_smem, %36, %37) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_33 = "gpu.subgroup_mma_compute"(%a_32, %b_28, %res_19) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_34 = "gpu.subgroup_mma_compute"(%a_32, %b_30, %res_20) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %38 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %39 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_35 = "gpu.subgroup_mma_load_matrix"(%a_smem, %38, %39) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_36 = "gpu.subgroup_mma_compute"(%a_35, %b_28, %res_22) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_37 = "gpu.subgroup_mma_compute"(%a_35, %b_30, %res_23) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %40 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %41 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_38 = "gpu.subgroup_mma_load_matrix"(%a_smem, %40, %41) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_39 = "gpu.subgroup_mma_compute"(%a_38, %b_28, %res_25) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_40 = "gpu.subgroup_mma_compute"(%a_38, %b_30, %res_26) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "affine.yield"(%res_29, %res_31, %res_33, %res_34, %res_36, %res_37, %res_39, %res_40) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
              }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
              "affine.yield"(%17#0, %17#1, %17#2, %17#3, %17#4, %17#5, %17#6, %17#7) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
            }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
            "gpu.subgroup_mma_store_matrix"(%16#0, %C, %0, %1) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#1, %C, %2, %3) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#2, %C, %4, %5) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#3, %C, %6, %7) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#4, %C, %8, %9) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#5, %C, %10, %11) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#6, %C, %12, %13) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%16#7, %C, %14, %15) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
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

