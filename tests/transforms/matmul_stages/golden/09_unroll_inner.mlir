// ----- 9 unroll_inner: 16 products in each step along kk -----
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
                  %97 = "affine.load"(%B, %copy_k, %copy_j) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
                  "affine.store"(%97, %b_smem, %copy_k, %k, %copy_j, %j) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<64x136xf16, 3>, index, index, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              "affine.for"(%i, %i) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 128)>}> ({
              ^bb0(%copy_i: index):
                "affine.for"(%k, %k) <{lowerBoundMap = affine_map<(d0) -> (d0)>, operandSegmentSizes = array<i32: 1, 1, 0>, step = 1 : index, upperBoundMap = affine_map<(d0) -> (d0 + 64)>}> ({
                ^bb0(%copy_k: index):
                  %96 = "affine.load"(%A, %copy_i, %copy_k) <{map = affine_map<(d0, d1) -> (d0, d1)>}> : (memref<8192x8192xf16>, index, index) -> f16
                  "affine.store"(%96, %a_smem, %copy_i, %i, %copy_k, %k) <{map = affine_map<(d0, d1, d2, d3) -> (d0 - d1, d2 - d3)>}> : (f16, memref<128x72xf16, 3>, index, index, index, index) -> ()
                  "affine.yield"() : () -> ()
                }) : (index, index) -> ()
                "affine.yield"() : () -> ()
              }) : (index, index) -> ()
              "affine.for"() <{lowerBoundMap = affine_map<() -> (0)>, operandSegmentSizes = array<i32: 0, 0, 0>, step = 32 : index, upperBoundMap = affine_map<() -> (64)>}> ({
              ^bb0(%kk: index):
                %0 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %1 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a = "gpu.subgroup_mma_load_matrix"(%a_smem, %0, %1) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %2 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %3 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b = "gpu.subgroup_mma_load_matrix"(%b_smem, %2, %3) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %4 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %5 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c = "gpu.subgroup_mma_load_matrix"(%C, %4, %5) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res = "gpu.subgroup_mma_compute"(%a, %b, %c) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res, %C, %4, %5) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %6 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %7 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_0 = "gpu.subgroup_mma_load_matrix"(%a_smem, %6, %7) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %8 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %9 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_1 = "gpu.subgroup_mma_load_matrix"(%b_smem, %8, %9) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %10 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %11 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_2 = "gpu.subgroup_mma_load_matrix"(%C, %10, %11) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_3 = "gpu.subgroup_mma_compute"(%a_0, %b_1, %c_2) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_3, %C, %10, %11) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %12 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %13 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_4 = "gpu.subgroup_mma_load_matrix"(%a_smem, %12, %13) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %14 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %15 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_5 = "gpu.subgroup_mma_load_matrix"(%b_smem, %14, %15) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %16 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %17 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_6 = "gpu.subgroup_mma_load_matrix"(%C, %16, %17) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_7 = "gpu.subgroup_mma_compute"(%a_4, %b_5, %c_6) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_7, %C, %16, %17) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %18 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %19 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_8 = "gpu.subgroup_mma_load_matrix"(%a_smem, %18, %19) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %20 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %21 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_9 = "gpu.subgroup_mma_load_matrix"(%b_smem, %20, %21) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %22 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %23 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_10 = "gpu.subgroup_mma_load_matrix"(%C, %22, %23) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_11 = "gpu.subgroup_mma_compute"(%a_8, %b_9, %c_10) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_11, %C, %22, %23) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %24 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %25 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_12 = "gpu.subgroup_mma_load_matrix"(%a_smem, %24, %25) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %26 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %27 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_13 = "gpu.subgroup_mma_load_matrix"(%b_smem, %26, %27) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %28 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
                %29 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_14 = "gpu.subgroup_mma_load_matrix"(%C, %28, %29) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_15 = "gpu.subgroup_mma_compute"(%a_12, %b_13, %c_14) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_15, %C, %28, %29) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %30 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %31 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_16 = "gpu.subgroup_mma_load_matrix"(%a_smem, %30, %31) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %32 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %33 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_17 = "gpu.subgroup_mma_load_matrix"(%b_smem, %32, %33) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %34 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
                %35 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_18 = "gpu.subgroup_mma_load_matrix"(%C, %34, %35) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_19 = "gpu.subgroup_mma_compute"(%a_16, %b_17, %c_18) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_19, %C, %34, %35) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %36 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %37 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_20 = "gpu.subgroup_mma_load_matrix"(%a_smem, %36, %37) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %38 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %39 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_21 = "gpu.subgroup_mma_load_matrix"(%b_smem, %38, %39) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %40 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
                %41 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_22 = "gpu.subgroup_mma_load_matrix"(%C, %40, %41) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_23 = "gpu.subgroup_mma_compute"(%a_20, %b_21, %c_22) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_23, %C, %40, %41) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %42 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %43 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %a_24 = "gpu.subgroup_mma_load_matrix"(%a_smem, %42, %43) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %44 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %45 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_25 = "gpu.subgroup_mma_load_matrix"(%b_smem, %44, %45) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %46 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
                %47 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_26 = "gpu.subgroup_mma_load_matrix"(%C, %46, %47) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_27 = "gpu.subgroup_mma_compute"(%a_24, %b_25, %c_26) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_27, %C, %46, %47) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %48 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %49 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_28 = "gpu.subgroup_mma_load_matrix"(%a_smem, %48, %49) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %50 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %51 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_29 = "gpu.subgroup_mma_load_matrix"(%b_smem, %50, %51) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %52 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %53 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_30 = "gpu.subgroup_mma_load_matrix"(%C, %52, %53) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_31 = "gpu.subgroup_mma_compute"(%a_28, %b_29, %c_30) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_31, %C, %52, %53) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %54 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %55 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_32 = "gpu.subgroup_mma_load_matrix"(%a_smem, %54, %55) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %56 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %57 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_33 = "gpu.subgroup_mma_load_matrix"(%b_smem, %56, %57) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %58 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %59 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_34 = "gpu.subgroup_mma_load_matrix"(%C, %58, %59) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_35 = "gpu.subgroup_mma_compute"(%a_32, %b_33, %c_34) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_35, %C, %58, %59) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %60 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %61 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_36 = "gpu.subgroup_mma_load_matrix"(%a_smem, %60, %61) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %62 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %63 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_37 = "gpu.subgroup_mma_load_matrix"(%b_smem, %62, %63) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %64 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %65 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_38 = "gpu.subgroup_mma_load_matrix"(%C, %64, %65) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_39 = "gpu.subgroup_mma_compute"(%a_36, %b_37, %c_38) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_39, %C, %64, %65) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %66 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %67 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_40 = "gpu.subgroup_mma_load_matrix"(%a_smem, %66, %67) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %68 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %69 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_41 = "gpu.subgroup_mma_load_matrix"(%b_smem, %68, %69) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %70 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %71 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_42 = "gpu.subgroup_mma_load_matrix"(%C, %70, %71) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_43 = "gpu.subgroup_mma_compute"(%a_40, %b_41, %c_42) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_43, %C, %70, %71) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %72 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %73 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_44 = "gpu.subgroup_mma_load_matrix"(%a_smem, %72, %73) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %74 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %75 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_45 = "gpu.subgroup_mma_load_matrix"(%b_smem, %74, %75) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %76 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
                %77 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_46 = "gpu.subgroup_mma_load_matrix"(%C, %76, %77) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_47 = "gpu.subgroup_mma_compute"(%a_44, %b_45, %c_46) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_47, %C, %76, %77) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %78 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 32)>}> : (index) -> index
                %79 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_48 = "gpu.subgroup_mma_load_matrix"(%a_smem, %78, %79) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %80 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %81 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_49 = "gpu.subgroup_mma_load_matrix"(%b_smem, %80, %81) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %82 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 32)>}> : (index, index) -> index
                %83 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_50 = "gpu.subgroup_mma_load_matrix"(%C, %82, %83) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_51 = "gpu.subgroup_mma_compute"(%a_48, %b_49, %c_50) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_51, %C, %82, %83) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %84 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %85 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_52 = "gpu.subgroup_mma_load_matrix"(%a_smem, %84, %85) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %86 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %87 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0)>}> : (index) -> index
                %b_53 = "gpu.subgroup_mma_load_matrix"(%b_smem, %86, %87) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %88 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
                %89 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1)>}> : (index, index) -> index
                %c_54 = "gpu.subgroup_mma_load_matrix"(%C, %88, %89) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_55 = "gpu.subgroup_mma_compute"(%a_52, %b_53, %c_54) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_55, %C, %88, %89) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
                %90 = "affine.apply"(%ii) <{map = affine_map<(d0) -> (d0 + 48)>}> : (index) -> index
                %91 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %a_56 = "gpu.subgroup_mma_load_matrix"(%a_smem, %90, %91) <{leadDimension = 72 : index}> : (memref<128x72xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "AOp">
                %92 = "affine.apply"(%kk) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %93 = "affine.apply"(%jj) <{map = affine_map<(d0) -> (d0 + 16)>}> : (index) -> index
                %b_57 = "gpu.subgroup_mma_load_matrix"(%b_smem, %92, %93) <{leadDimension = 136 : index}> : (memref<64x136xf16, 3>, index, index) -> !gpu.mma_matrix<16x16xf16, "BOp">
                %94 = "affine.apply"(%i, %ii) <{map = affine_map<(d0, d1) -> (d0 + d1 + 48)>}> : (index, index) -> index
                %95 = "affine.apply"(%j, %jj) <{map = affine_map<(d0, d1) -> (d0 + d1 + 16)>}> : (index, index) -> index
                %c_58 = "gpu.subgroup_mma_load_matrix"(%C, %94, %95) <{leadDimension = 8192 : index}> : (memref<8192x8192xf32>, index, index) -> !gpu.mma_matrix<16x16xf32, "COp">
                %res_59 = "gpu.subgroup_mma_compute"(%a_56, %b_57, %c_58) : (!gpu.mma_matrix<16x16xf16, "AOp">, !gpu.mma_matrix<16x16xf16, "BOp">, !gpu.mma_matrix<16x16xf32, "COp">) -> !gpu.mma_matrix<16x16xf32, "COp">
                "gpu.subgroup_mma_store_matrix"(%res_59, %C, %94, %95) <{leadDimension = 8192 : index}> : (!gpu.mma_matrix<16x16xf32, "COp">, memref<8192x8192xf32>, index, index) -> ()
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

