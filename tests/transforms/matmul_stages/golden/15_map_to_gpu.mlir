// ----- 15 map_to_gpu: 64 x 64 blocks of 256 threads; a warp reads 4 lines of %B and stores them in 4 cycles of the banks; a warp reads 4 lines of %A and stores them in 4 cycles of the banks -----
"builtin.module"() ({
  "func.func"() <{function_type = (memref<8192x8192xf16>, memref<8192x8192xf16>, memref<8192x8192xf32>) -> (), sym_name = "f"}> ({
  ^bb0(%A: memref<8192x8192xf16>, %B: memref<8192x8192xf16>, %C: memref<8192x8192xf32>):
    %0 = "arith.constant"() <{value = 1 : index}> : () -> index
    %1 = "arith.constant"() <{value = 64 : index}> : () -> index
    %2 = "arith.constant"() <{value = 64 : index}> : () -> index
    %3 = "arith.constant"() <{value = 256 : index}> : () -> index
    "gpu.launch"(%2, %1, %0, %3, %0, %0) <{operandSegmentSizes = array<i32: 0, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0>}> ({
    ^bb0(%bx: index, %by: index, %bz: index, %tx: index, %ty: index, %tz: index, %gx: index, %gy: index, %gz: index, %sx: index, %sy: index, %sz: index, %b_smem: memref<64x136xf16, 3>, %a_smem: memref<128x72xf16, 3>):
      %b_fetched = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4x8xf16, 5>
      %a_fetched = "memref.alloca"() <{operandSegmentSizes = array<i32: 0, 0>}> : () -> memref<4x8xf16, 5>
      %i = "affine.apply"(%by) <{map = affine_map<(d0) -> (d0 * 128)>}> : (index) -> index
      %j = "affine.apply"(%bx) <{map = affine_map<(d0) -> (d0 * 128)>}> : (index) -> index
      %ii = "affine.apply"(%tx) <{map = affine_map<(d0) -> ((d0 floordiv 128) * 64)>}> : (index) -> index
      %jj = "affine.apply"(%tx) <{map = affine_map<(d0) -> (((d0 mod 128) floordiv 32) * 32)>}> : (index) -> index
      %4 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
      %5 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
      %c_reg_0 = "gpu.subgroup_mma_load_matrix"(%C, %4, %5) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %6 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
      %7 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
      %c_reg_1 = "gpu.subgroup_mma_load_matrix"(%C, %6, %7) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %8 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
      %9 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
      %c_reg_2 = "gpu.subgroup_mma_load_matrix"(%C, %8, %9) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %10 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
      %11 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
      %c_reg_3 = "gpu.subgroup_mma_load_matrix"(%C, %10, %11) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %12 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
      %13 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
      %c_reg_4 = "gpu.subgroup_mma_load_matrix"(%C, %12, %13) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %14 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
      %15 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
      %c_reg_5 = "gpu.subgroup_mma_load_matrix"(%C, %14, %15) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %16 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
      %17 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
      %c_reg_6 = "gpu.subgroup_mma_load_matrix"(%C, %16, %17) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      %18 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
      %19 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
      %c_reg_7 = "gpu.subgroup_mma_load_matrix"(%C, %18, %19) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
      "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
      ^bb0(%t: index):
        %row = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> (d0 floordiv 16 + d1 * 16)>}> : (index, index) -> index
        %column = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> ((d0 mod 16) * 8)>}> : (index, index) -> index
        %85 = "affine.apply"(%bx, %column) <{map = affine_map<(d0, d1) -> (d0 * 128 + d1)>}> : (index, index) -> index
        %86 = "vector.load"(%B, %row, %85) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
        "vector.store"(%86, %b_smem, %row, %column) : (vector<8xf16>, memref<64x136xf16, 3>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
      ^bb0(%t: index):
        %row = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> (d0 floordiv 8 + d1 * 32)>}> : (index, index) -> index
        %column = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> ((d0 mod 8) * 8)>}> : (index, index) -> index
        %83 = "affine.apply"(%by, %row) <{map = affine_map<(d0, d1) -> (d0 * 128 + d1)>}> : (index, index) -> index
        %84 = "vector.load"(%A, %83, %column) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
        "vector.store"(%84, %a_smem, %row, %column) : (vector<8xf16>, memref<128x72xf16, 3>, index, index) -> ()
        "affine.yield"() : () -> ()
      }) : () -> ()
      "gpu.barrier"() : () -> ()
      %20:8 = "affine.for"(%c_reg_0, %c_reg_1, %c_reg_2, %c_reg_3, %c_reg_4, %c_reg_5, %c_reg_6, %c_reg_7) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 64 : index, upperBoundMap = affine_map<() -> (8128)>}> ({
      ^bb0(%k: index, %c_reg_0_33: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_34: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_35: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_36: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_37: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_38: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_39: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_40: !gpu.mma_matrix<16x16xf32, "COp">):
        "gpu.barrier"() : () -> ()
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
        ^bb0(%t: index):
          %row = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> (d0 floordiv 16 + d1 * 16)>}> : (index, index) -> index
          %column = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> ((d0 mod 16) * 8)>}> : (index, index) -> index
          %79 = "affine.apply"(%k, %row) <{map = affine_map<(d0, d1) -> (d0 + d1 + 64)>}> : (index, index) -> index
          %80 = "affine.apply"(%bx, %column) <{map = affine_map<(d0, d1) -> (d0 * 128 + d1)>}> : (index, index) -> index
          %81 = "vector.load"(%B, %79, %80) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
          %82 = "arith.constant"() <{value = 0 : index}> : () -> index
          "vector.store"(%81, %b_fetched, %t, %82) : (vector<8xf16>, memref<4x8xf16, 5>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
        ^bb0(%t: index):
          %row = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> (d0 floordiv 8 + d1 * 32)>}> : (index, index) -> index
          %column = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> ((d0 mod 8) * 8)>}> : (index, index) -> index
          %75 = "affine.apply"(%by, %row) <{map = affine_map<(d0, d1) -> (d0 * 128 + d1)>}> : (index, index) -> index
          %76 = "affine.apply"(%k, %column) <{map = affine_map<(d0, d1) -> (d0 + d1 + 64)>}> : (index, index) -> index
          %77 = "vector.load"(%A, %75, %76) : (memref<8192x8192xf16>, index, index) -> vector<8xf16>
          %78 = "arith.constant"() <{value = 0 : index}> : () -> index
          "vector.store"(%77, %a_fetched, %t, %78) : (vector<8xf16>, memref<4x8xf16, 5>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        %46:8 = "affine.for"(%c_reg_0_33, %c_reg_1_34, %c_reg_2_35, %c_reg_3_36, %c_reg_4_37, %c_reg_5_38, %c_reg_6_39, %c_reg_7_40) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
        ^bb0(%kk: index, %c_reg_0_41: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_42: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_43: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_44: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_45: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_46: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_47: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_48: !gpu.mma_matrix<16x16xf32, "COp">):
          %51 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %52 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %51, %52) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %53 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %54 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %53, %54) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
          %res = "gpu.subgroup_mma_compute"(%a, %b, %c_reg_0_41) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %55 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %56 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %b_49 = "gpu.subgroup_mma_load_matrix"(%b_smem, %55, %56) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
          %res_50 = "gpu.subgroup_mma_compute"(%a, %b_49, %c_reg_1_42) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %57 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %58 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %a_51 = "gpu.subgroup_mma_load_matrix"(%a_smem, %57, %58) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %res_52 = "gpu.subgroup_mma_compute"(%a_51, %b, %c_reg_2_43) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %res_53 = "gpu.subgroup_mma_compute"(%a_51, %b_49, %c_reg_3_44) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %59 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
          %60 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %a_54 = "gpu.subgroup_mma_load_matrix"(%a_smem, %59, %60) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %res_55 = "gpu.subgroup_mma_compute"(%a_54, %b, %c_reg_4_45) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %res_56 = "gpu.subgroup_mma_compute"(%a_54, %b_49, %c_reg_5_46) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %61 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
          %62 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %a_57 = "gpu.subgroup_mma_load_matrix"(%a_smem, %61, %62) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %res_58 = "gpu.subgroup_mma_compute"(%a_57, %b, %c_reg_6_47) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %res_59 = "gpu.subgroup_mma_compute"(%a_57, %b_49, %c_reg_7_48) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %63 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %64 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %a_60 = "gpu.subgroup_mma_load_matrix"(%a_smem, %63, %64) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %65 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %66 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
          %b_61 = "gpu.subgroup_mma_load_matrix"(%b_smem, %65, %66) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
          %res_62 = "gpu.subgroup_mma_compute"(%a_60, %b_61, %res) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %67 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %68 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %b_63 = "gpu.subgroup_mma_load_matrix"(%b_smem, %67, %68) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
          %res_64 = "gpu.subgroup_mma_compute"(%a_60, %b_63, %res_50) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %69 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %70 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %a_65 = "gpu.subgroup_mma_load_matrix"(%a_smem, %69, %70) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %res_66 = "gpu.subgroup_mma_compute"(%a_65, %b_61, %res_52) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %res_67 = "gpu.subgroup_mma_compute"(%a_65, %b_63, %res_53) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %71 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
          %72 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %a_68 = "gpu.subgroup_mma_load_matrix"(%a_smem, %71, %72) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %res_69 = "gpu.subgroup_mma_compute"(%a_68, %b_61, %res_55) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %res_70 = "gpu.subgroup_mma_compute"(%a_68, %b_63, %res_56) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %73 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
          %74 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
          %a_71 = "gpu.subgroup_mma_load_matrix"(%a_smem, %73, %74) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
          %res_72 = "gpu.subgroup_mma_compute"(%a_71, %b_61, %res_58) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          %res_73 = "gpu.subgroup_mma_compute"(%a_71, %b_63, %res_59) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
          "affine.yield"(%res_62, %res_64, %res_66, %res_67, %res_69, %res_70, %res_72, %res_73) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
        }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
        "gpu.barrier"() : () -> ()
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
        ^bb0(%t: index):
          %row = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> (d0 floordiv 16 + d1 * 16)>}> : (index, index) -> index
          %column = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> ((d0 mod 16) * 8)>}> : (index, index) -> index
          %49 = "arith.constant"() <{value = 0 : index}> : () -> index
          %50 = "vector.load"(%b_fetched, %t, %49) : (memref<4x8xf16, 5>, index, index) -> vector<8xf16>
          "vector.store"(%50, %b_smem, %row, %column) : (vector<8xf16>, memref<64x136xf16, 3>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 1 : index, upperBoundMap = affine_map<() -> (4)>}> ({
        ^bb0(%t: index):
          %row = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> (d0 floordiv 8 + d1 * 32)>}> : (index, index) -> index
          %column = "affine.apply"(%tx, %t) <{map = affine_map<(d0, d1) -> ((d0 mod 8) * 8)>}> : (index, index) -> index
          %47 = "arith.constant"() <{value = 0 : index}> : () -> index
          %48 = "vector.load"(%a_fetched, %t, %47) : (memref<4x8xf16, 5>, index, index) -> vector<8xf16>
          "vector.store"(%48, %a_smem, %row, %column) : (vector<8xf16>, memref<128x72xf16, 3>, index, index) -> ()
          "affine.yield"() : () -> ()
        }) : () -> ()
        "affine.yield"(%46#0, %46#1, %46#2, %46#3, %46#4, %46#5, %46#6, %46#7) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
      }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
      "gpu.barrier"() : () -> ()
      %21:8 = "affine.for"(%20#0, %20#1, %20#2, %20#3, %20#4, %20#5, %20#6, %20#7) <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 8>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
      ^bb0(%kk: index, %c_reg_0_0: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_1_1: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_2_2: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_3_3: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_4_4: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_5_5: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_6_6: !gpu.mma_matrix<16x16xf32, "COp">, %c_reg_7_7: !gpu.mma_matrix<16x16xf32, "COp">):
        %22 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %23 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %22, %23) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %24 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %25 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %24, %25) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
        %res = "gpu.subgroup_mma_compute"(%a, %b, %c_reg_0_0) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %26 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %27 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %b_8 = "gpu.subgroup_mma_load_matrix"(%b_smem, %26, %27) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
        %res_9 = "gpu.subgroup_mma_compute"(%a, %b_8, %c_reg_1_1) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %28 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %29 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %a_10 = "gpu.subgroup_mma_load_matrix"(%a_smem, %28, %29) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %res_11 = "gpu.subgroup_mma_compute"(%a_10, %b, %c_reg_2_2) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %res_12 = "gpu.subgroup_mma_compute"(%a_10, %b_8, %c_reg_3_3) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %30 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
        %31 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %a_13 = "gpu.subgroup_mma_load_matrix"(%a_smem, %30, %31) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %res_14 = "gpu.subgroup_mma_compute"(%a_13, %b, %c_reg_4_4) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %res_15 = "gpu.subgroup_mma_compute"(%a_13, %b_8, %c_reg_5_5) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %32 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
        %33 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %a_16 = "gpu.subgroup_mma_load_matrix"(%a_smem, %32, %33) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %res_17 = "gpu.subgroup_mma_compute"(%a_16, %b, %c_reg_6_6) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %res_18 = "gpu.subgroup_mma_compute"(%a_16, %b_8, %c_reg_7_7) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %34 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %35 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %a_19 = "gpu.subgroup_mma_load_matrix"(%a_smem, %34, %35) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %36 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %37 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
        %b_20 = "gpu.subgroup_mma_load_matrix"(%b_smem, %36, %37) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
        %res_21 = "gpu.subgroup_mma_compute"(%a_19, %b_20, %res) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %38 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %39 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %b_22 = "gpu.subgroup_mma_load_matrix"(%b_smem, %38, %39) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
        %res_23 = "gpu.subgroup_mma_compute"(%a_19, %b_22, %res_9) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %40 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %41 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %a_24 = "gpu.subgroup_mma_load_matrix"(%a_smem, %40, %41) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %res_25 = "gpu.subgroup_mma_compute"(%a_24, %b_20, %res_11) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %res_26 = "gpu.subgroup_mma_compute"(%a_24, %b_22, %res_12) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %42 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
        %43 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %a_27 = "gpu.subgroup_mma_load_matrix"(%a_smem, %42, %43) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %res_28 = "gpu.subgroup_mma_compute"(%a_27, %b_20, %res_14) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %res_29 = "gpu.subgroup_mma_compute"(%a_27, %b_22, %res_15) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %44 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
        %45 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
        %a_30 = "gpu.subgroup_mma_load_matrix"(%a_smem, %44, %45) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
        %res_31 = "gpu.subgroup_mma_compute"(%a_30, %b_20, %res_17) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        %res_32 = "gpu.subgroup_mma_compute"(%a_30, %b_22, %res_18) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
        "affine.yield"(%res_21, %res_23, %res_25, %res_26, %res_28, %res_29, %res_31, %res_32) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> ()
      }) : (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">) -> (!gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">, !gpu.mma_matrix<16x16xf32, "COp">)
      "gpu.subgroup_mma_store_matrix"(%21#0, %C, %4, %5) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#1, %C, %6, %7) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#2, %C, %8, %9) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#3, %C, %10, %11) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#4, %C, %12, %13) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#5, %C, %14, %15) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#6, %C, %16, %17) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.subgroup_mma_store_matrix"(%21#7, %C, %18, %19) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
      "gpu.terminator"() : () -> ()
    }) {workgroup_attributions = 2 : i64} : (index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()

