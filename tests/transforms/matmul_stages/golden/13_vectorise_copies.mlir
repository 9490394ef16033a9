// ----- 13 vectorise_copies: 6 copies of rows of 8 elements, 16 bytes each -----
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
            "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (64)>}> ({
            ^bb0(%copy_k: index):
              "affine.for"(%j, %j) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 8 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
              ^bb0(%copy_j: index):
                %77 = "vector.load"(%B, %copy_k, %copy_j) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
                %78 = "affine.apply"(%copy_j, %j) <{map = affine_map<(d0, d1) -> (d0 - d1)>}> : (index, index) -> index
                "vector.store"(%77, %b_smem, %copy_k, %78) : (vector<8xf16>, memref<64x136xf16, 3>, index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              "affine.yield"() : () -> ()
            }) : () -> ()
            "affine.for"(%i, %i) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
            ^bb0(%copy_i: index):
              "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 8 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%copy_k: index):
                %75 = "vector.load"(%A, %copy_i, %copy_k) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
                %76 = "affine.apply"(%copy_i, %i) <{map = affine_map<(d0, d1) -> (d0 - d1)>}> : (index, index) -> index
                "vector.store"(%75, %a_smem, %76, %copy_k) : (vector<8xf16>, memref<128x72xf16, 3>, index, index) -> ()
                "affine.yield"() : () -> ()
              }) : () -> ()
              "affine.yield"() : () -> ()
            }) : (index, index) -> ()
            "gpu.barrier"() : () -> ()
            %16:8 = "affine.for"(%c_reg_0, %c_reg_1, %c_reg_2, %c_reg_3, %c_reg_4, %c_reg_5, %c_reg_6, %c_reg_7) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 64 : index, upperBoundMap = affine_map<() -> (8128)>}> ({
            ^bb0(%k: index, %c_reg_0_33: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_34: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_35: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_36: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_37: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_38: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_39: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_40: !gpu.mma_matrix<16x16xf32, "COp">):
              "gpu.barrier"() : () -> ()
              %b_fetched = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<64x128xf16, 5>
              "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0 + 64)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
              ^bb0(%copy_k: index):
                "affine.for"(%j, %j) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 8 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
                ^bb0(%copy_j: index):
                  %72 = "vector.load"(%B, %copy_k, %copy_j) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
                  %73 = "affine.apply"(%copy_k, %k) <{map = affine_map<(d0, d1) -> (d0 - d1 - 64)>}> : (index, index) -> index
                  %74 = "affine.apply"(%copy_j, %j) <{map = affine_map<(d0, d1) -> (d0 - d1)>}> : (index, index) -> index
                  "vector.store"(%72, %b_fetched, %73, %74) : (vector<8xf16>, memref<64x128xf16, 5>, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              %a_fetched = "memref.alloc"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<128x64xf16, 5>
              "affine.for"(%i, %i) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
              ^bb0(%copy_i: index):
                "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0 + 64)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 8 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
                ^bb0(%copy_k: index):
                  %69 = "vector.load"(%A, %copy_i, %copy_k) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
                  %70 = "affine.apply"(%copy_i, %i) <{map = affine_map<(d0, d1) -> (d0 - d1)>}> : (index, index) -> index
                  %71 = "affine.apply"(%copy_k, %k) <{map = affine_map<(d0, d1) -> (d0 - d1 - 64)>}> : (index, index) -> index
                  "vector.store"(%69, %a_fetched, %70, %71) : (vector<8xf16>, memref<128x64xf16, 5>, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              %42:8 = "affine.for"(%c_reg_0_33, %c_reg_1_34, %c_reg_2_35, %c_reg_3_36, %c_reg_4_37, %c_reg_5_38, %c_reg_6_39, %c_reg_7_40) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%kk: index, %c_reg_0_41: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_42: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_43: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_44: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_45: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_46: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_47: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_48: !gpu.mma_matrix<16x16xf32, "COp">):
                %45 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %46 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %45, %46) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %47 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %48 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %47, %48) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res = "gpu.subgroup_mma_compute"(%a, %b, %c_reg_0_41) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %49 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %50 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_49 = "gpu.subgroup_mma_load_matrix"(%b_smem, %49, %50) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res_50 = "gpu.subgroup_mma_compute"(%a, %b_49, %c_reg_1_42) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %51 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %52 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_51 = "gpu.subgroup_mma_load_matrix"(%a_smem, %51, %52) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_52 = "gpu.subgroup_mma_compute"(%a_51, %b, %c_reg_2_43) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_53 = "gpu.subgroup_mma_compute"(%a_51, %b_49, %c_reg_3_44) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %53 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %54 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_54 = "gpu.subgroup_mma_load_matrix"(%a_smem, %53, %54) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_55 = "gpu.subgroup_mma_compute"(%a_54, %b, %c_reg_4_45) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_56 = "gpu.subgroup_mma_compute"(%a_54, %b_49, %c_reg_5_46) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %55 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %56 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_57 = "gpu.subgroup_mma_load_matrix"(%a_smem, %55, %56) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_58 = "gpu.subgroup_mma_compute"(%a_57, %b, %c_reg_6_47) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_59 = "gpu.subgroup_mma_compute"(%a_57, %b_49, %c_reg_7_48) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %57 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %58 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_60 = "gpu.subgroup_mma_load_matrix"(%a_smem, %57, %58) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %59 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %60 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_61 = "gpu.subgroup_mma_load_matrix"(%b_smem, %59, %60) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res_62 = "gpu.subgroup_mma_compute"(%a_60, %b_61, %res) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %61 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %62 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_63 = "gpu.subgroup_mma_load_matrix"(%b_smem, %61, %62) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %res_64 = "gpu.subgroup_mma_compute"(%a_60, %b_63, %res_50) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %63 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %64 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_65 = "gpu.subgroup_mma_load_matrix"(%a_smem, %63, %64) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_66 = "gpu.subgroup_mma_compute"(%a_65, %b_61, %res_52) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_67 = "gpu.subgroup_mma_compute"(%a_65, %b_63, %res_53) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %65 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %66 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_68 = "gpu.subgroup_mma_load_matrix"(%a_smem, %65, %66) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_69 = "gpu.subgroup_mma_compute"(%a_68, %b_61, %res_55) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_70 = "gpu.subgroup_mma_compute"(%a_68, %b_63, %res_56) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %67 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %68 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_71 = "gpu.subgroup_mma_load_matrix"(%a_smem, %67, %68) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %res_72 = "gpu.subgroup_mma_compute"(%a_71, %b_61, %res_58) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_73 = "gpu.subgroup_mma_compute"(%a_71, %b_63, %res_59) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "affine.yield"(%res_62, %res_64, %res_66, %res_67, %res_69, %res_70, %res_72, %res_73) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
              }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
              "gpu.barrier"() : () -> ()
              "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%copy_k: index):
                "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 8 : index, upperBoundMap = affine_map<() -> (128)>}> ({
                ^bb0(%copy_j: index):
                  %44 = "vector.load"(%b_fetched, %copy_k, %copy_j) : (memref<64x128xf16, 5>, index, index) -> vector<8xf16>
                  "vector.store"(%44, %b_smem, %copy_k, %copy_j) : (vector<8xf16>, memref<64x136xf16, 3>, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : () -> ()
                "affine.yield"() : () -> ()
              }) : () -> ()
              "memref.dealloc"(%b_fetched) : (memref<64x128xf16, 5>) -> ()
              "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (128)>}> ({
              ^bb0(%copy_i: index):
                "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 8 : index, upperBoundMap = affine_map<() -> (64)>}> ({
                ^bb0(%copy_k: index):
                  %43 = "vector.load"(%a_fetched, %copy_i, %copy_k) : (memref<128x64xf16, 5>, index, index) -> vector<8xf16>
                  "vector.store"(%43, %a_smem, %copy_i, %copy_k) : (vector<8xf16>, memref<128x72xf16, 3>, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : () -> ()
                "affine.yield"() : () -> ()
              }) : () -> ()
              "memref.dealloc"(%a_fetched) : (memref<128x64xf16, 5>) -> ()
              "affine.yield"(%42#0, %42#1, %42#2, %42#3, %42#4, %42#5, %42#6, %42#7) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
            }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
            "gpu.barrier"() : () -> ()
            %17:8 = "affine.for"(%16#0, %16#1, %16#2, %16#3, %16#4, %16#5, %16#6, %16#7) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
            ^bb0(%kk: index, %c_reg_0_0: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_1: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_2: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_3: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_4: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_5: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_6: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_7: !gpu.mma_matrix<16x16xf32, "COp">):
              %18 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %19 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %18, %19) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %20 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %21 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %20, %21) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
              %res = "gpu.subgroup_mma_compute"(%a, %b, %c_reg_0_0) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %22 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %23 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %b_8 = "gpu.subgroup_mma_load_matrix"(%b_smem, %22, %23) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
              %res_9 = "gpu.subgroup_mma_compute"(%a, %b_8, %c_reg_1_1) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %24 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %25 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %a_10 = "gpu.subgroup_mma_load_matrix"(%a_smem, %24, %25) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %res_11 = "gpu.subgroup_mma_compute"(%a_10, %b, %c_reg_2_2) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %res_12 = "gpu.subgroup_mma_compute"(%a_10, %b_8, %c_reg_3_3) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %26 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
              %27 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %a_13 = "gpu.subgroup_mma_load_matrix"(%a_smem, %26, %27) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %res_14 = "gpu.subgroup_mma_compute"(%a_13, %b, %c_reg_4_4) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %res_15 = "gpu.subgroup_mma_compute"(%a_13, %b_8, %c_reg_5_5) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %28 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
              %29 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %a_16 = "gpu.subgroup_mma_load_matrix"(%a_smem, %28, %29) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %res_17 = "gpu.subgroup_mma_compute"(%a_16, %b, %c_reg_6_6) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %res_18 = "gpu.subgroup_mma_compute"(%a_16, %b_8, %c_reg_7_7) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %30 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %31 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %a_19 = "gpu.subgroup_mma_load_matrix"(%a_smem, %30, %31) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %32 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %33 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
              %b_20 = "gpu.subgroup_mma_load_matrix"(%b_smem, %32, %33) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
              %res_21 = "gpu.subgroup_mma_compute"(%a_19, %b_20, %res) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %34 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %35 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %b_22 = "gpu.subgroup_mma_load_matrix"(%b_smem, %34, %35) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
              %res_23 = "gpu.subgroup_mma_compute"(%a_19, %b_22, %res_9) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %36 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %37 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %a_24 = "gpu.subgroup_mma_load_matrix"(%a_smem, %36, %37) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %res_25 = "gpu.subgroup_mma_compute"(%a_24, %b_20, %res_11) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %res_26 = "gpu.subgroup_mma_compute"(%a_24, %b_22, %res_12) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %38 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
              %39 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %a_27 = "gpu.subgroup_mma_load_matrix"(%a_smem, %38, %39) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %res_28 = "gpu.subgroup_mma_compute"(%a_27, %b_20, %res_14) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %res_29 = "gpu.subgroup_mma_compute"(%a_27, %b_22, %res_15) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %40 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
              %41 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
              %a_30 = "gpu.subgroup_mma_load_matrix"(%a_smem, %40, %41) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
              %res_31 = "gpu.subgroup_mma_compute"(%a_30, %b_20, %res_17) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              %res_32 = "gpu.subgroup_mma_compute"(%a_30, %b_22, %res_18) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
              "affine.yield"(%res_21, %res_23, %res_25, %res_26, %res_28, %res_29, %res_31, %res_32) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
            }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
            "gpu.subgroup_mma_store_matrix"(%17#0, %C, %0, %1) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#1, %C, %2, %3) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#2, %C, %4, %5) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#3, %C, %6, %7) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#4, %C, %8, %9) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#5, %C, %10, %11) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#6, %C, %12, %13) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
            "gpu.subgroup_mma_store_matrix"(%17#7, %C, %14, %15) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
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

