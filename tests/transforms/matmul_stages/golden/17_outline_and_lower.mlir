// ----- 17 outline_and_lower: kernel @f for a grid of 64 x 64 work-groups of 256 threads, 35840 bytes of shared memory -----
"builtin.module"() ({
  "tw.builtin.kernel"() <{launch_constraints = [{extents = [[[1, ["num_groups", "", 0]]], [[64]]], kind = "same_extent", names = ["extent x of the grid", "that of the launch"], place = []}, {extents = [[[1, ["num_groups", "", 1]]], [[64]]], kind = "same_extent", names = ["extent y of the grid", "that of the launch"], place = []}, {extents = [[[1, ["num_groups", "", 2]]], [[1]]], kind = "same_extent", names = ["extent z of the grid", "that of the launch"], place = []}], max_groups = 64 : i64, parameter_attributes = [{alignment = 16 : i64, dimensions = [1, 0]}, {alignment = 16 : i64, dimensions = [1, 0]}, {alignment = 8 : i64, dimensions = [1, 0], noalias = true}], subgroup_size = 32 : i64, sym_name = "f", work_group_size = [256, 1]}> ({
  ^bb0(%A: !tw.type<"memref<f16x8192x8192>">, %B: !tw.type<"memref<f16x8192x8192>">, %C: !tw.type<"memref<f32x8192x8192>">):
    %gz = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
    %gy = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
    %gx = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
    %0 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
    %1 = "tw.team.group_id"() <{dim = 0 : i64}> : () -> index
    %2 = "tw.team.group_id"() <{dim = 1 : i64}> : () -> index
    %3 = "tw.team.group_id"() <{dim = 2 : i64}> : () -> index
    %sx = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
    %sy = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
    %sz = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
    %b_smem = "tw.memref.alloca"() : () -> !tw.type<"memref<f16x136x64,local>">
    %a_smem = "tw.memref.alloca"() : () -> !tw.type<"memref<f16x72x128,local>">
    "tw.team.spmd"() ({
      %4 = "tw.team.subgroup_linear_id"() : () -> i32
      %5 = "tw.arith.cast"(%4) : (i32) -> index
      %6 = "tw.team.subgroup_local_id"() : () -> i32
      %7 = "tw.arith.cast"(%6) : (i32) -> index
      %8 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
      %9 = "tw.arith.mul"(%5, %8) : (index, index) -> index
      %tx = "tw.arith.add"(%9, %7) : (index, index) -> index
      %tz = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %ty = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %10 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
      %i = "tw.arith.mul"(%2, %10) : (index, index) -> index
      %11 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
      %j = "tw.arith.mul"(%1, %11) : (index, index) -> index
      %12 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
      %13 = "tw.arith.floor_div"(%tx, %12) : (index, index) -> index
      %14 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
      %ii = "tw.arith.mul"(%13, %14) : (index, index) -> index
      %15 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
      %16 = "tw.arith.floor_div"(%tx, %15) : (index, index) -> index
      %17 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
      %18 = "tw.arith.mul"(%16, %17) : (index, index) -> index
      %19 = "tw.arith.sub"(%tx, %18) : (index, index) -> index
      %20 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
      %21 = "tw.arith.floor_div"(%19, %20) : (index, index) -> index
      %22 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
      %jj = "tw.arith.mul"(%21, %22) : (index, index) -> index
      %23 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %24 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %c_reg_0 = "tw.tile.load"(%C, %24, %23) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %25 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %26 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %27 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
      %28 = "tw.arith.add"(%26, %27) : (index, index) -> index
      %c_reg_1 = "tw.tile.load"(%C, %28, %25) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %29 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %30 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
      %31 = "tw.arith.add"(%29, %30) : (index, index) -> index
      %32 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %c_reg_2 = "tw.tile.load"(%C, %32, %31) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %33 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %34 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
      %35 = "tw.arith.add"(%33, %34) : (index, index) -> index
      %36 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %37 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
      %38 = "tw.arith.add"(%36, %37) : (index, index) -> index
      %c_reg_3 = "tw.tile.load"(%C, %38, %35) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %39 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %40 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
      %41 = "tw.arith.add"(%39, %40) : (index, index) -> index
      %42 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %c_reg_4 = "tw.tile.load"(%C, %42, %41) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %43 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %44 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
      %45 = "tw.arith.add"(%43, %44) : (index, index) -> index
      %46 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %47 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
      %48 = "tw.arith.add"(%46, %47) : (index, index) -> index
      %c_reg_5 = "tw.tile.load"(%C, %48, %45) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %49 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %50 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
      %51 = "tw.arith.add"(%49, %50) : (index, index) -> index
      %52 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %c_reg_6 = "tw.tile.load"(%C, %52, %51) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %53 = "tw.arith.add"(%i, %ii) : (index, index) -> index
      %54 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
      %55 = "tw.arith.add"(%53, %54) : (index, index) -> index
      %56 = "tw.arith.add"(%j, %jj) : (index, index) -> index
      %57 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
      %58 = "tw.arith.add"(%56, %57) : (index, index) -> index
      %c_reg_7 = "tw.tile.load"(%C, %58, %55) : (!tw.type<"memref<f32x8192x8192>">, index, index) -> !tw.type<"tile<16x16xf32>">
      %59 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %60 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
      "tw.scf.for"(%59, %60) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, parallel = false}> ({
      ^bb0(%t: index):
        %530 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %531 = "tw.arith.floor_div"(%tx, %530) : (index, index) -> index
        %532 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %533 = "tw.arith.mul"(%t, %532) : (index, index) -> index
        %row = "tw.arith.add"(%531, %533) : (index, index) -> index
        %534 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %535 = "tw.arith.floor_div"(%tx, %534) : (index, index) -> index
        %536 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %537 = "tw.arith.mul"(%535, %536) : (index, index) -> index
        %538 = "tw.arith.sub"(%tx, %537) : (index, index) -> index
        %539 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column = "tw.arith.mul"(%538, %539) : (index, index) -> index
        %540 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %541 = "tw.arith.mul"(%1, %540) : (index, index) -> index
        %542 = "tw.arith.add"(%541, %column) : (index, index) -> index
        %543 = "tw.memref.load"(%B, %542, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %544 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %545 = "tw.arith.add"(%542, %544) : (index, index) -> index
        %546 = "tw.memref.load"(%B, %545, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %547 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %548 = "tw.arith.add"(%542, %547) : (index, index) -> index
        %549 = "tw.memref.load"(%B, %548, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %550 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %551 = "tw.arith.add"(%542, %550) : (index, index) -> index
        %552 = "tw.memref.load"(%B, %551, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %553 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %554 = "tw.arith.add"(%542, %553) : (index, index) -> index
        %555 = "tw.memref.load"(%B, %554, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %556 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %557 = "tw.arith.add"(%542, %556) : (index, index) -> index
        %558 = "tw.memref.load"(%B, %557, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %559 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %560 = "tw.arith.add"(%542, %559) : (index, index) -> index
        %561 = "tw.memref.load"(%B, %560, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %562 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %563 = "tw.arith.add"(%542, %562) : (index, index) -> index
        %564 = "tw.memref.load"(%B, %563, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        "tw.memref.store"(%543, %b_smem, %column, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %565 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %566 = "tw.arith.add"(%column, %565) : (index, index) -> index
        "tw.memref.store"(%546, %b_smem, %566, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %567 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %568 = "tw.arith.add"(%column, %567) : (index, index) -> index
        "tw.memref.store"(%549, %b_smem, %568, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %569 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %570 = "tw.arith.add"(%column, %569) : (index, index) -> index
        "tw.memref.store"(%552, %b_smem, %570, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %571 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %572 = "tw.arith.add"(%column, %571) : (index, index) -> index
        "tw.memref.store"(%555, %b_smem, %572, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %573 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %574 = "tw.arith.add"(%column, %573) : (index, index) -> index
        "tw.memref.store"(%558, %b_smem, %574, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %575 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %576 = "tw.arith.add"(%column, %575) : (index, index) -> index
        "tw.memref.store"(%561, %b_smem, %576, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %577 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %578 = "tw.arith.add"(%column, %577) : (index, index) -> index
        "tw.memref.store"(%564, %b_smem, %578, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
      }) : (index, index) -> ()
      %61 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %62 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
      "tw.scf.for"(%61, %62) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, parallel = false}> ({
      ^bb0(%t: index):
        %481 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %482 = "tw.arith.floor_div"(%tx, %481) : (index, index) -> index
        %483 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %484 = "tw.arith.mul"(%t, %483) : (index, index) -> index
        %row = "tw.arith.add"(%482, %484) : (index, index) -> index
        %485 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %486 = "tw.arith.floor_div"(%tx, %485) : (index, index) -> index
        %487 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %488 = "tw.arith.mul"(%486, %487) : (index, index) -> index
        %489 = "tw.arith.sub"(%tx, %488) : (index, index) -> index
        %490 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column = "tw.arith.mul"(%489, %490) : (index, index) -> index
        %491 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %492 = "tw.arith.mul"(%2, %491) : (index, index) -> index
        %493 = "tw.arith.add"(%492, %row) : (index, index) -> index
        %494 = "tw.memref.load"(%A, %column, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %495 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %496 = "tw.arith.add"(%column, %495) : (index, index) -> index
        %497 = "tw.memref.load"(%A, %496, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %498 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %499 = "tw.arith.add"(%column, %498) : (index, index) -> index
        %500 = "tw.memref.load"(%A, %499, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %501 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %502 = "tw.arith.add"(%column, %501) : (index, index) -> index
        %503 = "tw.memref.load"(%A, %502, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %504 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %505 = "tw.arith.add"(%column, %504) : (index, index) -> index
        %506 = "tw.memref.load"(%A, %505, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %507 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %508 = "tw.arith.add"(%column, %507) : (index, index) -> index
        %509 = "tw.memref.load"(%A, %508, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %510 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %511 = "tw.arith.add"(%column, %510) : (index, index) -> index
        %512 = "tw.memref.load"(%A, %511, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %513 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %514 = "tw.arith.add"(%column, %513) : (index, index) -> index
        %515 = "tw.memref.load"(%A, %514, %493) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        "tw.memref.store"(%494, %a_smem, %column, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %516 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %517 = "tw.arith.add"(%column, %516) : (index, index) -> index
        "tw.memref.store"(%497, %a_smem, %517, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %518 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %519 = "tw.arith.add"(%column, %518) : (index, index) -> index
        "tw.memref.store"(%500, %a_smem, %519, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %520 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %521 = "tw.arith.add"(%column, %520) : (index, index) -> index
        "tw.memref.store"(%503, %a_smem, %521, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %522 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %523 = "tw.arith.add"(%column, %522) : (index, index) -> index
        "tw.memref.store"(%506, %a_smem, %523, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %524 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %525 = "tw.arith.add"(%column, %524) : (index, index) -> index
        "tw.memref.store"(%509, %a_smem, %525, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %526 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %527 = "tw.arith.add"(%column, %526) : (index, index) -> index
        "tw.memref.store"(%512, %a_smem, %527, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %528 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %529 = "tw.arith.add"(%column, %528) : (index, index) -> index
        "tw.memref.store"(%515, %a_smem, %529, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
      }) : (index, index) -> ()
      "tw.team.barrier"() <{fence_global = true, fence_local = true}> : () -> ()
      %63 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %64 = "tw.arith.constant"() <{value = 8128 : i64}> : () -> index
      %65 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
      %66:8 = "tw.scf.for"(%63, %64, %65, %c_reg_0, %c_reg_1, %c_reg_2, %c_reg_3, %c_reg_4, %c_reg_5, %c_reg_6, %c_reg_7) <{operandSegmentSizes = array<i32: 1, 1, 1, 8>, parallel = false}> ({
      ^bb0(%k: index, %c_reg_0_33: !tw.type<"tile<16x16xf32>">, %c_reg_1_34: !tw.type<"tile<16x16xf32>">, %c_reg_2_35: !tw.type<"tile<16x16xf32>">, %c_reg_3_36: !tw.type<"tile<16x16xf32>">, %c_reg_4_37: !tw.type<"tile<16x16xf32>">, %c_reg_5_38: !tw.type<"tile<16x16xf32>">, %c_reg_6_39: !tw.type<"tile<16x16xf32>">, %c_reg_7_40: !tw.type<"tile<16x16xf32>">):
        "tw.team.barrier"() <{fence_global = true, fence_local = true}> : () -> ()
        %99 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %row = "tw.arith.floor_div"(%tx, %99) : (index, index) -> index
        %100 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %101 = "tw.arith.floor_div"(%tx, %100) : (index, index) -> index
        %102 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %103 = "tw.arith.mul"(%101, %102) : (index, index) -> index
        %104 = "tw.arith.sub"(%tx, %103) : (index, index) -> index
        %105 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column = "tw.arith.mul"(%104, %105) : (index, index) -> index
        %106 = "tw.arith.add"(%k, %row) : (index, index) -> index
        %107 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %108 = "tw.arith.add"(%106, %107) : (index, index) -> index
        %109 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %110 = "tw.arith.mul"(%1, %109) : (index, index) -> index
        %111 = "tw.arith.add"(%110, %column) : (index, index) -> index
        %112 = "tw.memref.load"(%B, %111, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %113 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %114 = "tw.arith.add"(%111, %113) : (index, index) -> index
        %115 = "tw.memref.load"(%B, %114, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %116 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %117 = "tw.arith.add"(%111, %116) : (index, index) -> index
        %118 = "tw.memref.load"(%B, %117, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %119 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %120 = "tw.arith.add"(%111, %119) : (index, index) -> index
        %121 = "tw.memref.load"(%B, %120, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %122 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %123 = "tw.arith.add"(%111, %122) : (index, index) -> index
        %124 = "tw.memref.load"(%B, %123, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %125 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %126 = "tw.arith.add"(%111, %125) : (index, index) -> index
        %127 = "tw.memref.load"(%B, %126, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %128 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %129 = "tw.arith.add"(%111, %128) : (index, index) -> index
        %130 = "tw.memref.load"(%B, %129, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %131 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %132 = "tw.arith.add"(%111, %131) : (index, index) -> index
        %133 = "tw.memref.load"(%B, %132, %108) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %134 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %135 = "tw.arith.floor_div"(%tx, %134) : (index, index) -> index
        %136 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %row_41 = "tw.arith.add"(%135, %136) : (index, index) -> index
        %137 = "tw.arith.add"(%k, %row_41) : (index, index) -> index
        %138 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %139 = "tw.arith.add"(%137, %138) : (index, index) -> index
        %140 = "tw.memref.load"(%B, %111, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %141 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %142 = "tw.arith.add"(%111, %141) : (index, index) -> index
        %143 = "tw.memref.load"(%B, %142, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %144 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %145 = "tw.arith.add"(%111, %144) : (index, index) -> index
        %146 = "tw.memref.load"(%B, %145, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %147 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %148 = "tw.arith.add"(%111, %147) : (index, index) -> index
        %149 = "tw.memref.load"(%B, %148, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %150 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %151 = "tw.arith.add"(%111, %150) : (index, index) -> index
        %152 = "tw.memref.load"(%B, %151, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %153 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %154 = "tw.arith.add"(%111, %153) : (index, index) -> index
        %155 = "tw.memref.load"(%B, %154, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %156 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %157 = "tw.arith.add"(%111, %156) : (index, index) -> index
        %158 = "tw.memref.load"(%B, %157, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %159 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %160 = "tw.arith.add"(%111, %159) : (index, index) -> index
        %161 = "tw.memref.load"(%B, %160, %139) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %162 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %163 = "tw.arith.floor_div"(%tx, %162) : (index, index) -> index
        %164 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %row_42 = "tw.arith.add"(%163, %164) : (index, index) -> index
        %165 = "tw.arith.add"(%k, %row_42) : (index, index) -> index
        %166 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %167 = "tw.arith.add"(%165, %166) : (index, index) -> index
        %168 = "tw.memref.load"(%B, %111, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %169 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %170 = "tw.arith.add"(%111, %169) : (index, index) -> index
        %171 = "tw.memref.load"(%B, %170, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %172 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %173 = "tw.arith.add"(%111, %172) : (index, index) -> index
        %174 = "tw.memref.load"(%B, %173, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %175 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %176 = "tw.arith.add"(%111, %175) : (index, index) -> index
        %177 = "tw.memref.load"(%B, %176, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %178 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %179 = "tw.arith.add"(%111, %178) : (index, index) -> index
        %180 = "tw.memref.load"(%B, %179, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %181 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %182 = "tw.arith.add"(%111, %181) : (index, index) -> index
        %183 = "tw.memref.load"(%B, %182, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %184 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %185 = "tw.arith.add"(%111, %184) : (index, index) -> index
        %186 = "tw.memref.load"(%B, %185, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %187 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %188 = "tw.arith.add"(%111, %187) : (index, index) -> index
        %189 = "tw.memref.load"(%B, %188, %167) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %190 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %191 = "tw.arith.floor_div"(%tx, %190) : (index, index) -> index
        %192 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
        %row_43 = "tw.arith.add"(%191, %192) : (index, index) -> index
        %193 = "tw.arith.add"(%k, %row_43) : (index, index) -> index
        %194 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %195 = "tw.arith.add"(%193, %194) : (index, index) -> index
        %196 = "tw.memref.load"(%B, %111, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %197 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %198 = "tw.arith.add"(%111, %197) : (index, index) -> index
        %199 = "tw.memref.load"(%B, %198, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %200 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %201 = "tw.arith.add"(%111, %200) : (index, index) -> index
        %202 = "tw.memref.load"(%B, %201, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %203 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %204 = "tw.arith.add"(%111, %203) : (index, index) -> index
        %205 = "tw.memref.load"(%B, %204, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %206 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %207 = "tw.arith.add"(%111, %206) : (index, index) -> index
        %208 = "tw.memref.load"(%B, %207, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %209 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %210 = "tw.arith.add"(%111, %209) : (index, index) -> index
        %211 = "tw.memref.load"(%B, %210, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %212 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %213 = "tw.arith.add"(%111, %212) : (index, index) -> index
        %214 = "tw.memref.load"(%B, %213, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %215 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %216 = "tw.arith.add"(%111, %215) : (index, index) -> index
        %217 = "tw.memref.load"(%B, %216, %195) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %218 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %row_44 = "tw.arith.floor_div"(%tx, %218) : (index, index) -> index
        %219 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %220 = "tw.arith.floor_div"(%tx, %219) : (index, index) -> index
        %221 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %222 = "tw.arith.mul"(%220, %221) : (index, index) -> index
        %223 = "tw.arith.sub"(%tx, %222) : (index, index) -> index
        %224 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_45 = "tw.arith.mul"(%223, %224) : (index, index) -> index
        %225 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %226 = "tw.arith.mul"(%2, %225) : (index, index) -> index
        %227 = "tw.arith.add"(%226, %row_44) : (index, index) -> index
        %228 = "tw.arith.add"(%k, %column_45) : (index, index) -> index
        %229 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %230 = "tw.arith.add"(%228, %229) : (index, index) -> index
        %231 = "tw.memref.load"(%A, %230, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %232 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %233 = "tw.arith.add"(%230, %232) : (index, index) -> index
        %234 = "tw.memref.load"(%A, %233, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %235 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %236 = "tw.arith.add"(%230, %235) : (index, index) -> index
        %237 = "tw.memref.load"(%A, %236, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %238 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %239 = "tw.arith.add"(%230, %238) : (index, index) -> index
        %240 = "tw.memref.load"(%A, %239, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %241 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %242 = "tw.arith.add"(%230, %241) : (index, index) -> index
        %243 = "tw.memref.load"(%A, %242, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %244 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %245 = "tw.arith.add"(%230, %244) : (index, index) -> index
        %246 = "tw.memref.load"(%A, %245, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %247 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %248 = "tw.arith.add"(%230, %247) : (index, index) -> index
        %249 = "tw.memref.load"(%A, %248, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %250 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %251 = "tw.arith.add"(%230, %250) : (index, index) -> index
        %252 = "tw.memref.load"(%A, %251, %227) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %253 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %254 = "tw.arith.floor_div"(%tx, %253) : (index, index) -> index
        %255 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %row_46 = "tw.arith.add"(%254, %255) : (index, index) -> index
        %256 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %257 = "tw.arith.mul"(%2, %256) : (index, index) -> index
        %258 = "tw.arith.add"(%257, %row_46) : (index, index) -> index
        %259 = "tw.memref.load"(%A, %230, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %260 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %261 = "tw.arith.add"(%230, %260) : (index, index) -> index
        %262 = "tw.memref.load"(%A, %261, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %263 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %264 = "tw.arith.add"(%230, %263) : (index, index) -> index
        %265 = "tw.memref.load"(%A, %264, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %266 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %267 = "tw.arith.add"(%230, %266) : (index, index) -> index
        %268 = "tw.memref.load"(%A, %267, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %269 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %270 = "tw.arith.add"(%230, %269) : (index, index) -> index
        %271 = "tw.memref.load"(%A, %270, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %272 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %273 = "tw.arith.add"(%230, %272) : (index, index) -> index
        %274 = "tw.memref.load"(%A, %273, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %275 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %276 = "tw.arith.add"(%230, %275) : (index, index) -> index
        %277 = "tw.memref.load"(%A, %276, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %278 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %279 = "tw.arith.add"(%230, %278) : (index, index) -> index
        %280 = "tw.memref.load"(%A, %279, %258) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %281 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %282 = "tw.arith.floor_div"(%tx, %281) : (index, index) -> index
        %283 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %row_47 = "tw.arith.add"(%282, %283) : (index, index) -> index
        %284 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %285 = "tw.arith.mul"(%2, %284) : (index, index) -> index
        %286 = "tw.arith.add"(%285, %row_47) : (index, index) -> index
        %287 = "tw.memref.load"(%A, %230, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %288 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %289 = "tw.arith.add"(%230, %288) : (index, index) -> index
        %290 = "tw.memref.load"(%A, %289, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %291 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %292 = "tw.arith.add"(%230, %291) : (index, index) -> index
        %293 = "tw.memref.load"(%A, %292, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %294 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %295 = "tw.arith.add"(%230, %294) : (index, index) -> index
        %296 = "tw.memref.load"(%A, %295, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %297 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %298 = "tw.arith.add"(%230, %297) : (index, index) -> index
        %299 = "tw.memref.load"(%A, %298, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %300 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %301 = "tw.arith.add"(%230, %300) : (index, index) -> index
        %302 = "tw.memref.load"(%A, %301, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %303 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %304 = "tw.arith.add"(%230, %303) : (index, index) -> index
        %305 = "tw.memref.load"(%A, %304, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %306 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %307 = "tw.arith.add"(%230, %306) : (index, index) -> index
        %308 = "tw.memref.load"(%A, %307, %286) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %309 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %310 = "tw.arith.floor_div"(%tx, %309) : (index, index) -> index
        %311 = "tw.arith.constant"() <{value = 96 : i64}> : () -> index
        %row_48 = "tw.arith.add"(%310, %311) : (index, index) -> index
        %312 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %313 = "tw.arith.mul"(%2, %312) : (index, index) -> index
        %314 = "tw.arith.add"(%313, %row_48) : (index, index) -> index
        %315 = "tw.memref.load"(%A, %230, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %316 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %317 = "tw.arith.add"(%230, %316) : (index, index) -> index
        %318 = "tw.memref.load"(%A, %317, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %319 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %320 = "tw.arith.add"(%230, %319) : (index, index) -> index
        %321 = "tw.memref.load"(%A, %320, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %322 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %323 = "tw.arith.add"(%230, %322) : (index, index) -> index
        %324 = "tw.memref.load"(%A, %323, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %325 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %326 = "tw.arith.add"(%230, %325) : (index, index) -> index
        %327 = "tw.memref.load"(%A, %326, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %328 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %329 = "tw.arith.add"(%230, %328) : (index, index) -> index
        %330 = "tw.memref.load"(%A, %329, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %331 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %332 = "tw.arith.add"(%230, %331) : (index, index) -> index
        %333 = "tw.memref.load"(%A, %332, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %334 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %335 = "tw.arith.add"(%230, %334) : (index, index) -> index
        %336 = "tw.memref.load"(%A, %335, %314) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %337 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
        %338 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %339 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %340:8 = "tw.scf.for"(%337, %338, %339, %c_reg_0_33, %c_reg_1_34, %c_reg_2_35, %c_reg_3_36, %c_reg_4_37, %c_reg_5_38, %c_reg_6_39, %c_reg_7_40) <{operandSegmentSizes = array<i32: 1, 1, 1, 8>, parallel = false}> ({
        ^bb0(%kk: index, %c_reg_0_49: !tw.type<"tile<16x16xf32>">, %c_reg_1_50: !tw.type<"tile<16x16xf32>">, %c_reg_2_51: !tw.type<"tile<16x16xf32>">, %c_reg_3_52: !tw.type<"tile<16x16xf32>">, %c_reg_4_53: !tw.type<"tile<16x16xf32>">, %c_reg_5_54: !tw.type<"tile<16x16xf32>">, %c_reg_6_55: !tw.type<"tile<16x16xf32>">, %c_reg_7_56: !tw.type<"tile<16x16xf32>">):
          %a = "tw.tile.load"(%a_smem, %kk, %ii) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %b = "tw.tile.load"(%b_smem, %jj, %kk) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res = "tw.tile.mma"(%b, %a, %c_reg_0_49) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %453 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %454 = "tw.arith.add"(%jj, %453) : (index, index) -> index
          %b_57 = "tw.tile.load"(%b_smem, %454, %kk) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_58 = "tw.tile.mma"(%b_57, %a, %c_reg_1_50) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %455 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %456 = "tw.arith.add"(%ii, %455) : (index, index) -> index
          %a_59 = "tw.tile.load"(%a_smem, %kk, %456) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_60 = "tw.tile.mma"(%b, %a_59, %c_reg_2_51) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_61 = "tw.tile.mma"(%b_57, %a_59, %c_reg_3_52) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %457 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
          %458 = "tw.arith.add"(%ii, %457) : (index, index) -> index
          %a_62 = "tw.tile.load"(%a_smem, %kk, %458) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_63 = "tw.tile.mma"(%b, %a_62, %c_reg_4_53) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_64 = "tw.tile.mma"(%b_57, %a_62, %c_reg_5_54) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %459 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
          %460 = "tw.arith.add"(%ii, %459) : (index, index) -> index
          %a_65 = "tw.tile.load"(%a_smem, %kk, %460) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_66 = "tw.tile.mma"(%b, %a_65, %c_reg_6_55) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_67 = "tw.tile.mma"(%b_57, %a_65, %c_reg_7_56) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %461 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %462 = "tw.arith.add"(%kk, %461) : (index, index) -> index
          %a_68 = "tw.tile.load"(%a_smem, %462, %ii) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %463 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %464 = "tw.arith.add"(%kk, %463) : (index, index) -> index
          %b_69 = "tw.tile.load"(%b_smem, %jj, %464) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_70 = "tw.tile.mma"(%b_69, %a_68, %res) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %465 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %466 = "tw.arith.add"(%kk, %465) : (index, index) -> index
          %467 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %468 = "tw.arith.add"(%jj, %467) : (index, index) -> index
          %b_71 = "tw.tile.load"(%b_smem, %468, %466) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_72 = "tw.tile.mma"(%b_71, %a_68, %res_58) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %469 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %470 = "tw.arith.add"(%ii, %469) : (index, index) -> index
          %471 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %472 = "tw.arith.add"(%kk, %471) : (index, index) -> index
          %a_73 = "tw.tile.load"(%a_smem, %472, %470) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_74 = "tw.tile.mma"(%b_69, %a_73, %res_60) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_75 = "tw.tile.mma"(%b_71, %a_73, %res_61) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %473 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
          %474 = "tw.arith.add"(%ii, %473) : (index, index) -> index
          %475 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %476 = "tw.arith.add"(%kk, %475) : (index, index) -> index
          %a_76 = "tw.tile.load"(%a_smem, %476, %474) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_77 = "tw.tile.mma"(%b_69, %a_76, %res_63) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_78 = "tw.tile.mma"(%b_71, %a_76, %res_64) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %477 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
          %478 = "tw.arith.add"(%ii, %477) : (index, index) -> index
          %479 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %480 = "tw.arith.add"(%kk, %479) : (index, index) -> index
          %a_79 = "tw.tile.load"(%a_smem, %480, %478) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_80 = "tw.tile.mma"(%b_69, %a_79, %res_66) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_81 = "tw.tile.mma"(%b_71, %a_79, %res_67) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          "tw.scf.yield"(%res_70, %res_72, %res_74, %res_75, %res_77, %res_78, %res_80, %res_81) : (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> ()
        }) : (index, index, index, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">)
        "tw.team.barrier"() <{fence_global = true, fence_local = true}> : () -> ()
        "tw.memref.store"(%112, %b_smem, %column, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %341 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %342 = "tw.arith.add"(%column, %341) : (index, index) -> index
        "tw.memref.store"(%115, %b_smem, %342, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %343 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %344 = "tw.arith.add"(%column, %343) : (index, index) -> index
        "tw.memref.store"(%118, %b_smem, %344, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %345 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %346 = "tw.arith.add"(%column, %345) : (index, index) -> index
        "tw.memref.store"(%121, %b_smem, %346, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %347 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %348 = "tw.arith.add"(%column, %347) : (index, index) -> index
        "tw.memref.store"(%124, %b_smem, %348, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %349 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %350 = "tw.arith.add"(%column, %349) : (index, index) -> index
        "tw.memref.store"(%127, %b_smem, %350, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %351 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %352 = "tw.arith.add"(%column, %351) : (index, index) -> index
        "tw.memref.store"(%130, %b_smem, %352, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %353 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %354 = "tw.arith.add"(%column, %353) : (index, index) -> index
        "tw.memref.store"(%133, %b_smem, %354, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%140, %b_smem, %column, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %355 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %356 = "tw.arith.add"(%column, %355) : (index, index) -> index
        "tw.memref.store"(%143, %b_smem, %356, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %357 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %358 = "tw.arith.add"(%column, %357) : (index, index) -> index
        "tw.memref.store"(%146, %b_smem, %358, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %359 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %360 = "tw.arith.add"(%column, %359) : (index, index) -> index
        "tw.memref.store"(%149, %b_smem, %360, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %361 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %362 = "tw.arith.add"(%column, %361) : (index, index) -> index
        "tw.memref.store"(%152, %b_smem, %362, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %363 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %364 = "tw.arith.add"(%column, %363) : (index, index) -> index
        "tw.memref.store"(%155, %b_smem, %364, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %365 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %366 = "tw.arith.add"(%column, %365) : (index, index) -> index
        "tw.memref.store"(%158, %b_smem, %366, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %367 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %368 = "tw.arith.add"(%column, %367) : (index, index) -> index
        "tw.memref.store"(%161, %b_smem, %368, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%168, %b_smem, %column, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %369 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %370 = "tw.arith.add"(%column, %369) : (index, index) -> index
        "tw.memref.store"(%171, %b_smem, %370, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %371 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %372 = "tw.arith.add"(%column, %371) : (index, index) -> index
        "tw.memref.store"(%174, %b_smem, %372, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %373 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %374 = "tw.arith.add"(%column, %373) : (index, index) -> index
        "tw.memref.store"(%177, %b_smem, %374, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %375 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %376 = "tw.arith.add"(%column, %375) : (index, index) -> index
        "tw.memref.store"(%180, %b_smem, %376, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %377 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %378 = "tw.arith.add"(%column, %377) : (index, index) -> index
        "tw.memref.store"(%183, %b_smem, %378, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %379 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %380 = "tw.arith.add"(%column, %379) : (index, index) -> index
        "tw.memref.store"(%186, %b_smem, %380, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %381 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %382 = "tw.arith.add"(%column, %381) : (index, index) -> index
        "tw.memref.store"(%189, %b_smem, %382, %row_42) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%196, %b_smem, %column, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %383 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %384 = "tw.arith.add"(%column, %383) : (index, index) -> index
        "tw.memref.store"(%199, %b_smem, %384, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %385 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %386 = "tw.arith.add"(%column, %385) : (index, index) -> index
        "tw.memref.store"(%202, %b_smem, %386, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %387 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %388 = "tw.arith.add"(%column, %387) : (index, index) -> index
        "tw.memref.store"(%205, %b_smem, %388, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %389 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %390 = "tw.arith.add"(%column, %389) : (index, index) -> index
        "tw.memref.store"(%208, %b_smem, %390, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %391 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %392 = "tw.arith.add"(%column, %391) : (index, index) -> index
        "tw.memref.store"(%211, %b_smem, %392, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %393 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %394 = "tw.arith.add"(%column, %393) : (index, index) -> index
        "tw.memref.store"(%214, %b_smem, %394, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %395 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %396 = "tw.arith.add"(%column, %395) : (index, index) -> index
        "tw.memref.store"(%217, %b_smem, %396, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%231, %a_smem, %column_45, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %397 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %398 = "tw.arith.add"(%column_45, %397) : (index, index) -> index
        "tw.memref.store"(%234, %a_smem, %398, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %399 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %400 = "tw.arith.add"(%column_45, %399) : (index, index) -> index
        "tw.memref.store"(%237, %a_smem, %400, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %401 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %402 = "tw.arith.add"(%column_45, %401) : (index, index) -> index
        "tw.memref.store"(%240, %a_smem, %402, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %403 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %404 = "tw.arith.add"(%column_45, %403) : (index, index) -> index
        "tw.memref.store"(%243, %a_smem, %404, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %405 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %406 = "tw.arith.add"(%column_45, %405) : (index, index) -> index
        "tw.memref.store"(%246, %a_smem, %406, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %407 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %408 = "tw.arith.add"(%column_45, %407) : (index, index) -> index
        "tw.memref.store"(%249, %a_smem, %408, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %409 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %410 = "tw.arith.add"(%column_45, %409) : (index, index) -> index
        "tw.memref.store"(%252, %a_smem, %410, %row_44) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.memref.store"(%259, %a_smem, %column_45, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %411 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %412 = "tw.arith.add"(%column_45, %411) : (index, index) -> index
        "tw.memref.store"(%262, %a_smem, %412, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %413 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %414 = "tw.arith.add"(%column_45, %413) : (index, index) -> index
        "tw.memref.store"(%265, %a_smem, %414, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %415 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %416 = "tw.arith.add"(%column_45, %415) : (index, index) -> index
        "tw.memref.store"(%268, %a_smem, %416, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %417 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %418 = "tw.arith.add"(%column_45, %417) : (index, index) -> index
        "tw.memref.store"(%271, %a_smem, %418, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %419 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %420 = "tw.arith.add"(%column_45, %419) : (index, index) -> index
        "tw.memref.store"(%274, %a_smem, %420, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %421 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %422 = "tw.arith.add"(%column_45, %421) : (index, index) -> index
        "tw.memref.store"(%277, %a_smem, %422, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %423 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %424 = "tw.arith.add"(%column_45, %423) : (index, index) -> index
        "tw.memref.store"(%280, %a_smem, %424, %row_46) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.memref.store"(%287, %a_smem, %column_45, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %425 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %426 = "tw.arith.add"(%column_45, %425) : (index, index) -> index
        "tw.memref.store"(%290, %a_smem, %426, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %427 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %428 = "tw.arith.add"(%column_45, %427) : (index, index) -> index
        "tw.memref.store"(%293, %a_smem, %428, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %429 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %430 = "tw.arith.add"(%column_45, %429) : (index, index) -> index
        "tw.memref.store"(%296, %a_smem, %430, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %431 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %432 = "tw.arith.add"(%column_45, %431) : (index, index) -> index
        "tw.memref.store"(%299, %a_smem, %432, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %433 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %434 = "tw.arith.add"(%column_45, %433) : (index, index) -> index
        "tw.memref.store"(%302, %a_smem, %434, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %435 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %436 = "tw.arith.add"(%column_45, %435) : (index, index) -> index
        "tw.memref.store"(%305, %a_smem, %436, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %437 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %438 = "tw.arith.add"(%column_45, %437) : (index, index) -> index
        "tw.memref.store"(%308, %a_smem, %438, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.memref.store"(%315, %a_smem, %column_45, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %439 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %440 = "tw.arith.add"(%column_45, %439) : (index, index) -> index
        "tw.memref.store"(%318, %a_smem, %440, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %441 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %442 = "tw.arith.add"(%column_45, %441) : (index, index) -> index
        "tw.memref.store"(%321, %a_smem, %442, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %443 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %444 = "tw.arith.add"(%column_45, %443) : (index, index) -> index
        "tw.memref.store"(%324, %a_smem, %444, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %445 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %446 = "tw.arith.add"(%column_45, %445) : (index, index) -> index
        "tw.memref.store"(%327, %a_smem, %446, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %447 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %448 = "tw.arith.add"(%column_45, %447) : (index, index) -> index
        "tw.memref.store"(%330, %a_smem, %448, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %449 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %450 = "tw.arith.add"(%column_45, %449) : (index, index) -> index
        "tw.memref.store"(%333, %a_smem, %450, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %451 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %452 = "tw.arith.add"(%column_45, %451) : (index, index) -> index
        "tw.memref.store"(%336, %a_smem, %452, %row_48) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.scf.yield"(%340#0, %340#1, %340#2, %340#3, %340#4, %340#5, %340#6, %340#7) : (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> ()
      }) : (index, index, index, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">)
      "tw.team.barrier"() <{fence_global = true, fence_local = true}> : () -> ()
      %67 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %68 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
      %69 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
      %70:8 = "tw.scf.for"(%67, %68, %69, %66#0, %66#1, %66#2, %66#3, %66#4, %66#5, %66#6, %66#7) <{operandSegmentSizes = array<i32: 1, 1, 1, 8>, parallel = false}> ({
      ^bb0(%kk: index, %c_reg_0_0: !tw.type<"tile<16x16xf32>">, %c_reg_1_1: !tw.type<"tile<16x16xf32>">, %c_reg_2_2: !tw.type<"tile<16x16xf32>">, %c_reg_3_3: !tw.type<"tile<16x16xf32>">, %c_reg_4_4: !tw.type<"tile<16x16xf32>">, %c_reg_5_5: !tw.type<"tile<16x16xf32>">, %c_reg_6_6: !tw.type<"tile<16x16xf32>">, %c_reg_7_7: !tw.type<"tile<16x16xf32>">):
        %a = "tw.tile.load"(%a_smem, %kk, %ii) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %b = "tw.tile.load"(%b_smem, %jj, %kk) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res = "tw.tile.mma"(%b, %a, %c_reg_0_0) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %71 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %72 = "tw.arith.add"(%jj, %71) : (index, index) -> index
        %b_8 = "tw.tile.load"(%b_smem, %72, %kk) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_9 = "tw.tile.mma"(%b_8, %a, %c_reg_1_1) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %73 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %74 = "tw.arith.add"(%ii, %73) : (index, index) -> index
        %a_10 = "tw.tile.load"(%a_smem, %kk, %74) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_11 = "tw.tile.mma"(%b, %a_10, %c_reg_2_2) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %res_12 = "tw.tile.mma"(%b_8, %a_10, %c_reg_3_3) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %75 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %76 = "tw.arith.add"(%ii, %75) : (index, index) -> index
        %a_13 = "tw.tile.load"(%a_smem, %kk, %76) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_14 = "tw.tile.mma"(%b, %a_13, %c_reg_4_4) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %res_15 = "tw.tile.mma"(%b_8, %a_13, %c_reg_5_5) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %77 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
        %78 = "tw.arith.add"(%ii, %77) : (index, index) -> index
        %a_16 = "tw.tile.load"(%a_smem, %kk, %78) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_17 = "tw.tile.mma"(%b, %a_16, %c_reg_6_6) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %res_18 = "tw.tile.mma"(%b_8, %a_16, %c_reg_7_7) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %79 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %80 = "tw.arith.add"(%kk, %79) : (index, index) -> index
        %a_19 = "tw.tile.load"(%a_smem, %80, %ii) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %81 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %82 = "tw.arith.add"(%kk, %81) : (index, index) -> index
        %b_20 = "tw.tile.load"(%b_smem, %jj, %82) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_21 = "tw.tile.mma"(%b_20, %a_19, %res) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %83 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %84 = "tw.arith.add"(%kk, %83) : (index, index) -> index
        %85 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %86 = "tw.arith.add"(%jj, %85) : (index, index) -> index
        %b_22 = "tw.tile.load"(%b_smem, %86, %84) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_23 = "tw.tile.mma"(%b_22, %a_19, %res_9) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %87 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %88 = "tw.arith.add"(%ii, %87) : (index, index) -> index
        %89 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %90 = "tw.arith.add"(%kk, %89) : (index, index) -> index
        %a_24 = "tw.tile.load"(%a_smem, %90, %88) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_25 = "tw.tile.mma"(%b_20, %a_24, %res_11) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %res_26 = "tw.tile.mma"(%b_22, %a_24, %res_12) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %91 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %92 = "tw.arith.add"(%ii, %91) : (index, index) -> index
        %93 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %94 = "tw.arith.add"(%kk, %93) : (index, index) -> index
        %a_27 = "tw.tile.load"(%a_smem, %94, %92) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_28 = "tw.tile.mma"(%b_20, %a_27, %res_14) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %res_29 = "tw.tile.mma"(%b_22, %a_27, %res_15) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %95 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
        %96 = "tw.arith.add"(%ii, %95) : (index, index) -> index
        %97 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %98 = "tw.arith.add"(%kk, %97) : (index, index) -> index
        %a_30 = "tw.tile.load"(%a_smem, %98, %96) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
        %res_31 = "tw.tile.mma"(%b_20, %a_30, %res_17) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        %res_32 = "tw.tile.mma"(%b_22, %a_30, %res_18) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
        "tw.scf.yield"(%res_21, %res_23, %res_25, %res_26, %res_28, %res_29, %res_31, %res_32) : (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> ()
      }) : (index, index, index, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">)
      "tw.tile.store"(%70#0, %C, %24, %23) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#1, %C, %28, %25) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#2, %C, %32, %31) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#3, %C, %38, %35) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#4, %C, %42, %41) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#5, %C, %48, %45) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#6, %C, %52, %51) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
      "tw.tile.store"(%70#7, %C, %58, %55) : (!tw.type<"tile<16x16xf32>">, !tw.type<"memref<f32x8192x8192>">, index, index) -> ()
    }) : () -> ()
  }) : () -> ()
}) : () -> ()

