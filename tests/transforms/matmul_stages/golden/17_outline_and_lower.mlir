// ----- 17 outline_and_lower: kernel @f for a grid of 64 x 64 work-groups of 256 threads, 35840 bytes of shared memory -----
"builtin.module"() ({
  "tw.builtin.kernel"() <{launch_constraints = [{extents = [[[1, ["num_groups", "", 0]]], [[64]]], kind = "same_extent", names = ["extent x of the grid", "that of the launch"], place = []}, {extents = [[[1, ["num_groups", "", 1]]], [[64]]], kind = "same_extent", names = ["extent y of the grid", "that of the launch"], place = []}, {extents = [[[1, ["num_groups", "", 2]]], [[1]]], kind = "same_extent", names = ["extent z of the grid", "that of the launch"], place = []}], max_groups = 64 : i64, parameter_attributes = [{dimensions = [1, 0]}, {dimensions = [1, 0]}, {dimensions = [1, 0], noalias = true}], subgroup_size = 32 : i64, sym_name = "f", work_group_size = [256, 1]}> ({
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
        %599 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %600 = "tw.arith.mul"(%t, %599) : (index, index) -> index
        %601 = "tw.arith.add"(%tx, %600) : (index, index) -> index
        %602 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %row = "tw.arith.floor_div"(%601, %602) : (index, index) -> index
        %603 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %604 = "tw.arith.mul"(%t, %603) : (index, index) -> index
        %605 = "tw.arith.add"(%tx, %604) : (index, index) -> index
        %606 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %607 = "tw.arith.floor_div"(%605, %606) : (index, index) -> index
        %608 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %609 = "tw.arith.mul"(%607, %608) : (index, index) -> index
        %610 = "tw.arith.sub"(%605, %609) : (index, index) -> index
        %611 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column = "tw.arith.mul"(%610, %611) : (index, index) -> index
        %612 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %613 = "tw.arith.mul"(%1, %612) : (index, index) -> index
        %614 = "tw.arith.add"(%613, %column) : (index, index) -> index
        %615 = "tw.memref.load"(%B, %614, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %616 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %617 = "tw.arith.add"(%614, %616) : (index, index) -> index
        %618 = "tw.memref.load"(%B, %617, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %619 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %620 = "tw.arith.add"(%614, %619) : (index, index) -> index
        %621 = "tw.memref.load"(%B, %620, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %622 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %623 = "tw.arith.add"(%614, %622) : (index, index) -> index
        %624 = "tw.memref.load"(%B, %623, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %625 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %626 = "tw.arith.add"(%614, %625) : (index, index) -> index
        %627 = "tw.memref.load"(%B, %626, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %628 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %629 = "tw.arith.add"(%614, %628) : (index, index) -> index
        %630 = "tw.memref.load"(%B, %629, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %631 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %632 = "tw.arith.add"(%614, %631) : (index, index) -> index
        %633 = "tw.memref.load"(%B, %632, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %634 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %635 = "tw.arith.add"(%614, %634) : (index, index) -> index
        %636 = "tw.memref.load"(%B, %635, %row) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        "tw.memref.store"(%615, %b_smem, %column, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %637 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %638 = "tw.arith.add"(%column, %637) : (index, index) -> index
        "tw.memref.store"(%618, %b_smem, %638, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %639 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %640 = "tw.arith.add"(%column, %639) : (index, index) -> index
        "tw.memref.store"(%621, %b_smem, %640, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %641 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %642 = "tw.arith.add"(%column, %641) : (index, index) -> index
        "tw.memref.store"(%624, %b_smem, %642, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %643 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %644 = "tw.arith.add"(%column, %643) : (index, index) -> index
        "tw.memref.store"(%627, %b_smem, %644, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %645 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %646 = "tw.arith.add"(%column, %645) : (index, index) -> index
        "tw.memref.store"(%630, %b_smem, %646, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %647 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %648 = "tw.arith.add"(%column, %647) : (index, index) -> index
        "tw.memref.store"(%633, %b_smem, %648, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %649 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %650 = "tw.arith.add"(%column, %649) : (index, index) -> index
        "tw.memref.store"(%636, %b_smem, %650, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
      }) : (index, index) -> ()
      %61 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
      %62 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
      "tw.scf.for"(%61, %62) <{operandSegmentSizes = array<i32: 1, 1, 0, 0>, parallel = false}> ({
      ^bb0(%t: index):
        %547 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %548 = "tw.arith.mul"(%t, %547) : (index, index) -> index
        %549 = "tw.arith.add"(%tx, %548) : (index, index) -> index
        %550 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %row = "tw.arith.floor_div"(%549, %550) : (index, index) -> index
        %551 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %552 = "tw.arith.mul"(%t, %551) : (index, index) -> index
        %553 = "tw.arith.add"(%tx, %552) : (index, index) -> index
        %554 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %555 = "tw.arith.floor_div"(%553, %554) : (index, index) -> index
        %556 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %557 = "tw.arith.mul"(%555, %556) : (index, index) -> index
        %558 = "tw.arith.sub"(%553, %557) : (index, index) -> index
        %559 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column = "tw.arith.mul"(%558, %559) : (index, index) -> index
        %560 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %561 = "tw.arith.mul"(%2, %560) : (index, index) -> index
        %562 = "tw.arith.add"(%561, %row) : (index, index) -> index
        %563 = "tw.memref.load"(%A, %column, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %564 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %565 = "tw.arith.add"(%column, %564) : (index, index) -> index
        %566 = "tw.memref.load"(%A, %565, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %567 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %568 = "tw.arith.add"(%column, %567) : (index, index) -> index
        %569 = "tw.memref.load"(%A, %568, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %570 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %571 = "tw.arith.add"(%column, %570) : (index, index) -> index
        %572 = "tw.memref.load"(%A, %571, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %573 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %574 = "tw.arith.add"(%column, %573) : (index, index) -> index
        %575 = "tw.memref.load"(%A, %574, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %576 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %577 = "tw.arith.add"(%column, %576) : (index, index) -> index
        %578 = "tw.memref.load"(%A, %577, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %579 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %580 = "tw.arith.add"(%column, %579) : (index, index) -> index
        %581 = "tw.memref.load"(%A, %580, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %582 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %583 = "tw.arith.add"(%column, %582) : (index, index) -> index
        %584 = "tw.memref.load"(%A, %583, %562) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        "tw.memref.store"(%563, %a_smem, %column, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %585 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %586 = "tw.arith.add"(%column, %585) : (index, index) -> index
        "tw.memref.store"(%566, %a_smem, %586, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %587 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %588 = "tw.arith.add"(%column, %587) : (index, index) -> index
        "tw.memref.store"(%569, %a_smem, %588, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %589 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %590 = "tw.arith.add"(%column, %589) : (index, index) -> index
        "tw.memref.store"(%572, %a_smem, %590, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %591 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %592 = "tw.arith.add"(%column, %591) : (index, index) -> index
        "tw.memref.store"(%575, %a_smem, %592, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %593 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %594 = "tw.arith.add"(%column, %593) : (index, index) -> index
        "tw.memref.store"(%578, %a_smem, %594, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %595 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %596 = "tw.arith.add"(%column, %595) : (index, index) -> index
        "tw.memref.store"(%581, %a_smem, %596, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %597 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %598 = "tw.arith.add"(%column, %597) : (index, index) -> index
        "tw.memref.store"(%584, %a_smem, %598, %row) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
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
        %134 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %135 = "tw.arith.add"(%tx, %134) : (index, index) -> index
        %136 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %row_41 = "tw.arith.floor_div"(%135, %136) : (index, index) -> index
        %137 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %138 = "tw.arith.add"(%tx, %137) : (index, index) -> index
        %139 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %140 = "tw.arith.floor_div"(%138, %139) : (index, index) -> index
        %141 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %142 = "tw.arith.mul"(%140, %141) : (index, index) -> index
        %143 = "tw.arith.sub"(%138, %142) : (index, index) -> index
        %144 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_42 = "tw.arith.mul"(%143, %144) : (index, index) -> index
        %145 = "tw.arith.add"(%k, %row_41) : (index, index) -> index
        %146 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %147 = "tw.arith.add"(%145, %146) : (index, index) -> index
        %148 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %149 = "tw.arith.mul"(%1, %148) : (index, index) -> index
        %150 = "tw.arith.add"(%149, %column_42) : (index, index) -> index
        %151 = "tw.memref.load"(%B, %150, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %152 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %153 = "tw.arith.add"(%150, %152) : (index, index) -> index
        %154 = "tw.memref.load"(%B, %153, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %155 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %156 = "tw.arith.add"(%150, %155) : (index, index) -> index
        %157 = "tw.memref.load"(%B, %156, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %158 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %159 = "tw.arith.add"(%150, %158) : (index, index) -> index
        %160 = "tw.memref.load"(%B, %159, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %161 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %162 = "tw.arith.add"(%150, %161) : (index, index) -> index
        %163 = "tw.memref.load"(%B, %162, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %164 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %165 = "tw.arith.add"(%150, %164) : (index, index) -> index
        %166 = "tw.memref.load"(%B, %165, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %167 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %168 = "tw.arith.add"(%150, %167) : (index, index) -> index
        %169 = "tw.memref.load"(%B, %168, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %170 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %171 = "tw.arith.add"(%150, %170) : (index, index) -> index
        %172 = "tw.memref.load"(%B, %171, %147) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %173 = "tw.arith.constant"() <{value = 512 : i64}> : () -> index
        %174 = "tw.arith.add"(%tx, %173) : (index, index) -> index
        %175 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %row_43 = "tw.arith.floor_div"(%174, %175) : (index, index) -> index
        %176 = "tw.arith.constant"() <{value = 512 : i64}> : () -> index
        %177 = "tw.arith.add"(%tx, %176) : (index, index) -> index
        %178 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %179 = "tw.arith.floor_div"(%177, %178) : (index, index) -> index
        %180 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %181 = "tw.arith.mul"(%179, %180) : (index, index) -> index
        %182 = "tw.arith.sub"(%177, %181) : (index, index) -> index
        %183 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_44 = "tw.arith.mul"(%182, %183) : (index, index) -> index
        %184 = "tw.arith.add"(%k, %row_43) : (index, index) -> index
        %185 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %186 = "tw.arith.add"(%184, %185) : (index, index) -> index
        %187 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %188 = "tw.arith.mul"(%1, %187) : (index, index) -> index
        %189 = "tw.arith.add"(%188, %column_44) : (index, index) -> index
        %190 = "tw.memref.load"(%B, %189, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %191 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %192 = "tw.arith.add"(%189, %191) : (index, index) -> index
        %193 = "tw.memref.load"(%B, %192, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %194 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %195 = "tw.arith.add"(%189, %194) : (index, index) -> index
        %196 = "tw.memref.load"(%B, %195, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %197 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %198 = "tw.arith.add"(%189, %197) : (index, index) -> index
        %199 = "tw.memref.load"(%B, %198, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %200 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %201 = "tw.arith.add"(%189, %200) : (index, index) -> index
        %202 = "tw.memref.load"(%B, %201, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %203 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %204 = "tw.arith.add"(%189, %203) : (index, index) -> index
        %205 = "tw.memref.load"(%B, %204, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %206 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %207 = "tw.arith.add"(%189, %206) : (index, index) -> index
        %208 = "tw.memref.load"(%B, %207, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %209 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %210 = "tw.arith.add"(%189, %209) : (index, index) -> index
        %211 = "tw.memref.load"(%B, %210, %186) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %212 = "tw.arith.constant"() <{value = 768 : i64}> : () -> index
        %213 = "tw.arith.add"(%tx, %212) : (index, index) -> index
        %214 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %row_45 = "tw.arith.floor_div"(%213, %214) : (index, index) -> index
        %215 = "tw.arith.constant"() <{value = 768 : i64}> : () -> index
        %216 = "tw.arith.add"(%tx, %215) : (index, index) -> index
        %217 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %218 = "tw.arith.floor_div"(%216, %217) : (index, index) -> index
        %219 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
        %220 = "tw.arith.mul"(%218, %219) : (index, index) -> index
        %221 = "tw.arith.sub"(%216, %220) : (index, index) -> index
        %222 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_46 = "tw.arith.mul"(%221, %222) : (index, index) -> index
        %223 = "tw.arith.add"(%k, %row_45) : (index, index) -> index
        %224 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %225 = "tw.arith.add"(%223, %224) : (index, index) -> index
        %226 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %227 = "tw.arith.mul"(%1, %226) : (index, index) -> index
        %228 = "tw.arith.add"(%227, %column_46) : (index, index) -> index
        %229 = "tw.memref.load"(%B, %228, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %230 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %231 = "tw.arith.add"(%228, %230) : (index, index) -> index
        %232 = "tw.memref.load"(%B, %231, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %233 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %234 = "tw.arith.add"(%228, %233) : (index, index) -> index
        %235 = "tw.memref.load"(%B, %234, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %236 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %237 = "tw.arith.add"(%228, %236) : (index, index) -> index
        %238 = "tw.memref.load"(%B, %237, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %239 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %240 = "tw.arith.add"(%228, %239) : (index, index) -> index
        %241 = "tw.memref.load"(%B, %240, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %242 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %243 = "tw.arith.add"(%228, %242) : (index, index) -> index
        %244 = "tw.memref.load"(%B, %243, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %245 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %246 = "tw.arith.add"(%228, %245) : (index, index) -> index
        %247 = "tw.memref.load"(%B, %246, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %248 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %249 = "tw.arith.add"(%228, %248) : (index, index) -> index
        %250 = "tw.memref.load"(%B, %249, %225) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %251 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %row_47 = "tw.arith.floor_div"(%tx, %251) : (index, index) -> index
        %252 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %253 = "tw.arith.floor_div"(%tx, %252) : (index, index) -> index
        %254 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %255 = "tw.arith.mul"(%253, %254) : (index, index) -> index
        %256 = "tw.arith.sub"(%tx, %255) : (index, index) -> index
        %257 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_48 = "tw.arith.mul"(%256, %257) : (index, index) -> index
        %258 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %259 = "tw.arith.mul"(%2, %258) : (index, index) -> index
        %260 = "tw.arith.add"(%259, %row_47) : (index, index) -> index
        %261 = "tw.arith.add"(%k, %column_48) : (index, index) -> index
        %262 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %263 = "tw.arith.add"(%261, %262) : (index, index) -> index
        %264 = "tw.memref.load"(%A, %263, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %265 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %266 = "tw.arith.add"(%263, %265) : (index, index) -> index
        %267 = "tw.memref.load"(%A, %266, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %268 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %269 = "tw.arith.add"(%263, %268) : (index, index) -> index
        %270 = "tw.memref.load"(%A, %269, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %271 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %272 = "tw.arith.add"(%263, %271) : (index, index) -> index
        %273 = "tw.memref.load"(%A, %272, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %274 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %275 = "tw.arith.add"(%263, %274) : (index, index) -> index
        %276 = "tw.memref.load"(%A, %275, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %277 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %278 = "tw.arith.add"(%263, %277) : (index, index) -> index
        %279 = "tw.memref.load"(%A, %278, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %280 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %281 = "tw.arith.add"(%263, %280) : (index, index) -> index
        %282 = "tw.memref.load"(%A, %281, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %283 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %284 = "tw.arith.add"(%263, %283) : (index, index) -> index
        %285 = "tw.memref.load"(%A, %284, %260) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %286 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %287 = "tw.arith.add"(%tx, %286) : (index, index) -> index
        %288 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %row_49 = "tw.arith.floor_div"(%287, %288) : (index, index) -> index
        %289 = "tw.arith.constant"() <{value = 256 : i64}> : () -> index
        %290 = "tw.arith.add"(%tx, %289) : (index, index) -> index
        %291 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %292 = "tw.arith.floor_div"(%290, %291) : (index, index) -> index
        %293 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %294 = "tw.arith.mul"(%292, %293) : (index, index) -> index
        %295 = "tw.arith.sub"(%290, %294) : (index, index) -> index
        %296 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_50 = "tw.arith.mul"(%295, %296) : (index, index) -> index
        %297 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %298 = "tw.arith.mul"(%2, %297) : (index, index) -> index
        %299 = "tw.arith.add"(%298, %row_49) : (index, index) -> index
        %300 = "tw.arith.add"(%k, %column_50) : (index, index) -> index
        %301 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %302 = "tw.arith.add"(%300, %301) : (index, index) -> index
        %303 = "tw.memref.load"(%A, %302, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %304 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %305 = "tw.arith.add"(%302, %304) : (index, index) -> index
        %306 = "tw.memref.load"(%A, %305, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %307 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %308 = "tw.arith.add"(%302, %307) : (index, index) -> index
        %309 = "tw.memref.load"(%A, %308, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %310 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %311 = "tw.arith.add"(%302, %310) : (index, index) -> index
        %312 = "tw.memref.load"(%A, %311, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %313 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %314 = "tw.arith.add"(%302, %313) : (index, index) -> index
        %315 = "tw.memref.load"(%A, %314, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %316 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %317 = "tw.arith.add"(%302, %316) : (index, index) -> index
        %318 = "tw.memref.load"(%A, %317, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %319 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %320 = "tw.arith.add"(%302, %319) : (index, index) -> index
        %321 = "tw.memref.load"(%A, %320, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %322 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %323 = "tw.arith.add"(%302, %322) : (index, index) -> index
        %324 = "tw.memref.load"(%A, %323, %299) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %325 = "tw.arith.constant"() <{value = 512 : i64}> : () -> index
        %326 = "tw.arith.add"(%tx, %325) : (index, index) -> index
        %327 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %row_51 = "tw.arith.floor_div"(%326, %327) : (index, index) -> index
        %328 = "tw.arith.constant"() <{value = 512 : i64}> : () -> index
        %329 = "tw.arith.add"(%tx, %328) : (index, index) -> index
        %330 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %331 = "tw.arith.floor_div"(%329, %330) : (index, index) -> index
        %332 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %333 = "tw.arith.mul"(%331, %332) : (index, index) -> index
        %334 = "tw.arith.sub"(%329, %333) : (index, index) -> index
        %335 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_52 = "tw.arith.mul"(%334, %335) : (index, index) -> index
        %336 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %337 = "tw.arith.mul"(%2, %336) : (index, index) -> index
        %338 = "tw.arith.add"(%337, %row_51) : (index, index) -> index
        %339 = "tw.arith.add"(%k, %column_52) : (index, index) -> index
        %340 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %341 = "tw.arith.add"(%339, %340) : (index, index) -> index
        %342 = "tw.memref.load"(%A, %341, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %343 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %344 = "tw.arith.add"(%341, %343) : (index, index) -> index
        %345 = "tw.memref.load"(%A, %344, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %346 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %347 = "tw.arith.add"(%341, %346) : (index, index) -> index
        %348 = "tw.memref.load"(%A, %347, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %349 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %350 = "tw.arith.add"(%341, %349) : (index, index) -> index
        %351 = "tw.memref.load"(%A, %350, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %352 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %353 = "tw.arith.add"(%341, %352) : (index, index) -> index
        %354 = "tw.memref.load"(%A, %353, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %355 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %356 = "tw.arith.add"(%341, %355) : (index, index) -> index
        %357 = "tw.memref.load"(%A, %356, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %358 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %359 = "tw.arith.add"(%341, %358) : (index, index) -> index
        %360 = "tw.memref.load"(%A, %359, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %361 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %362 = "tw.arith.add"(%341, %361) : (index, index) -> index
        %363 = "tw.memref.load"(%A, %362, %338) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %364 = "tw.arith.constant"() <{value = 768 : i64}> : () -> index
        %365 = "tw.arith.add"(%tx, %364) : (index, index) -> index
        %366 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %row_53 = "tw.arith.floor_div"(%365, %366) : (index, index) -> index
        %367 = "tw.arith.constant"() <{value = 768 : i64}> : () -> index
        %368 = "tw.arith.add"(%tx, %367) : (index, index) -> index
        %369 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %370 = "tw.arith.floor_div"(%368, %369) : (index, index) -> index
        %371 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %372 = "tw.arith.mul"(%370, %371) : (index, index) -> index
        %373 = "tw.arith.sub"(%368, %372) : (index, index) -> index
        %374 = "tw.arith.constant"() <{value = 8 : i64}> : () -> index
        %column_54 = "tw.arith.mul"(%373, %374) : (index, index) -> index
        %375 = "tw.arith.constant"() <{value = 128 : i64}> : () -> index
        %376 = "tw.arith.mul"(%2, %375) : (index, index) -> index
        %377 = "tw.arith.add"(%376, %row_53) : (index, index) -> index
        %378 = "tw.arith.add"(%k, %column_54) : (index, index) -> index
        %379 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %380 = "tw.arith.add"(%378, %379) : (index, index) -> index
        %381 = "tw.memref.load"(%A, %380, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %382 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %383 = "tw.arith.add"(%380, %382) : (index, index) -> index
        %384 = "tw.memref.load"(%A, %383, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %385 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %386 = "tw.arith.add"(%380, %385) : (index, index) -> index
        %387 = "tw.memref.load"(%A, %386, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %388 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %389 = "tw.arith.add"(%380, %388) : (index, index) -> index
        %390 = "tw.memref.load"(%A, %389, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %391 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %392 = "tw.arith.add"(%380, %391) : (index, index) -> index
        %393 = "tw.memref.load"(%A, %392, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %394 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %395 = "tw.arith.add"(%380, %394) : (index, index) -> index
        %396 = "tw.memref.load"(%A, %395, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %397 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %398 = "tw.arith.add"(%380, %397) : (index, index) -> index
        %399 = "tw.memref.load"(%A, %398, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %400 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %401 = "tw.arith.add"(%380, %400) : (index, index) -> index
        %402 = "tw.memref.load"(%A, %401, %377) : (!tw.type<"memref<f16x8192x8192>">, index, index) -> f16
        %403 = "tw.arith.constant"() <{value = 0 : i64}> : () -> index
        %404 = "tw.arith.constant"() <{value = 64 : i64}> : () -> index
        %405 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
        %406:8 = "tw.scf.for"(%403, %404, %405, %c_reg_0_33, %c_reg_1_34, %c_reg_2_35, %c_reg_3_36, %c_reg_4_37, %c_reg_5_38, %c_reg_6_39, %c_reg_7_40) <{operandSegmentSizes = array<i32: 1, 1, 1, 8>, parallel = false}> ({
        ^bb0(%kk: index, %c_reg_0_55: !tw.type<"tile<16x16xf32>">, %c_reg_1_56: !tw.type<"tile<16x16xf32>">, %c_reg_2_57: !tw.type<"tile<16x16xf32>">, %c_reg_3_58: !tw.type<"tile<16x16xf32>">, %c_reg_4_59: !tw.type<"tile<16x16xf32>">, %c_reg_5_60: !tw.type<"tile<16x16xf32>">, %c_reg_6_61: !tw.type<"tile<16x16xf32>">, %c_reg_7_62: !tw.type<"tile<16x16xf32>">):
          %a = "tw.tile.load"(%a_smem, %kk, %ii) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %b = "tw.tile.load"(%b_smem, %jj, %kk) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res = "tw.tile.mma"(%b, %a, %c_reg_0_55) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %519 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %520 = "tw.arith.add"(%jj, %519) : (index, index) -> index
          %b_63 = "tw.tile.load"(%b_smem, %520, %kk) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_64 = "tw.tile.mma"(%b_63, %a, %c_reg_1_56) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %521 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %522 = "tw.arith.add"(%ii, %521) : (index, index) -> index
          %a_65 = "tw.tile.load"(%a_smem, %kk, %522) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_66 = "tw.tile.mma"(%b, %a_65, %c_reg_2_57) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_67 = "tw.tile.mma"(%b_63, %a_65, %c_reg_3_58) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %523 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
          %524 = "tw.arith.add"(%ii, %523) : (index, index) -> index
          %a_68 = "tw.tile.load"(%a_smem, %kk, %524) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_69 = "tw.tile.mma"(%b, %a_68, %c_reg_4_59) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_70 = "tw.tile.mma"(%b_63, %a_68, %c_reg_5_60) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %525 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
          %526 = "tw.arith.add"(%ii, %525) : (index, index) -> index
          %a_71 = "tw.tile.load"(%a_smem, %kk, %526) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_72 = "tw.tile.mma"(%b, %a_71, %c_reg_6_61) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_73 = "tw.tile.mma"(%b_63, %a_71, %c_reg_7_62) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %527 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %528 = "tw.arith.add"(%kk, %527) : (index, index) -> index
          %a_74 = "tw.tile.load"(%a_smem, %528, %ii) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %529 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %530 = "tw.arith.add"(%kk, %529) : (index, index) -> index
          %b_75 = "tw.tile.load"(%b_smem, %jj, %530) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_76 = "tw.tile.mma"(%b_75, %a_74, %res) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %531 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %532 = "tw.arith.add"(%kk, %531) : (index, index) -> index
          %533 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %534 = "tw.arith.add"(%jj, %533) : (index, index) -> index
          %b_77 = "tw.tile.load"(%b_smem, %534, %532) : (!tw.type<"memref<f16x136x64,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_78 = "tw.tile.mma"(%b_77, %a_74, %res_64) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %535 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %536 = "tw.arith.add"(%ii, %535) : (index, index) -> index
          %537 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %538 = "tw.arith.add"(%kk, %537) : (index, index) -> index
          %a_79 = "tw.tile.load"(%a_smem, %538, %536) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_80 = "tw.tile.mma"(%b_75, %a_79, %res_66) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_81 = "tw.tile.mma"(%b_77, %a_79, %res_67) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %539 = "tw.arith.constant"() <{value = 32 : i64}> : () -> index
          %540 = "tw.arith.add"(%ii, %539) : (index, index) -> index
          %541 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %542 = "tw.arith.add"(%kk, %541) : (index, index) -> index
          %a_82 = "tw.tile.load"(%a_smem, %542, %540) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_83 = "tw.tile.mma"(%b_75, %a_82, %res_69) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_84 = "tw.tile.mma"(%b_77, %a_82, %res_70) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %543 = "tw.arith.constant"() <{value = 48 : i64}> : () -> index
          %544 = "tw.arith.add"(%ii, %543) : (index, index) -> index
          %545 = "tw.arith.constant"() <{value = 16 : i64}> : () -> index
          %546 = "tw.arith.add"(%kk, %545) : (index, index) -> index
          %a_85 = "tw.tile.load"(%a_smem, %546, %544) : (!tw.type<"memref<f16x72x128,local>">, index, index) -> !tw.type<"tile<16x16xf16>">
          %res_86 = "tw.tile.mma"(%b_75, %a_85, %res_72) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          %res_87 = "tw.tile.mma"(%b_77, %a_85, %res_73) : (!tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf16>">, !tw.type<"tile<16x16xf32>">) -> !tw.type<"tile<16x16xf32>">
          "tw.scf.yield"(%res_76, %res_78, %res_80, %res_81, %res_83, %res_84, %res_86, %res_87) : (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> ()
        }) : (index, index, index, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">)
        "tw.team.barrier"() <{fence_global = true, fence_local = true}> : () -> ()
        "tw.memref.store"(%112, %b_smem, %column, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %407 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %408 = "tw.arith.add"(%column, %407) : (index, index) -> index
        "tw.memref.store"(%115, %b_smem, %408, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %409 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %410 = "tw.arith.add"(%column, %409) : (index, index) -> index
        "tw.memref.store"(%118, %b_smem, %410, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %411 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %412 = "tw.arith.add"(%column, %411) : (index, index) -> index
        "tw.memref.store"(%121, %b_smem, %412, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %413 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %414 = "tw.arith.add"(%column, %413) : (index, index) -> index
        "tw.memref.store"(%124, %b_smem, %414, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %415 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %416 = "tw.arith.add"(%column, %415) : (index, index) -> index
        "tw.memref.store"(%127, %b_smem, %416, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %417 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %418 = "tw.arith.add"(%column, %417) : (index, index) -> index
        "tw.memref.store"(%130, %b_smem, %418, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %419 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %420 = "tw.arith.add"(%column, %419) : (index, index) -> index
        "tw.memref.store"(%133, %b_smem, %420, %row) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%151, %b_smem, %column_42, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %421 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %422 = "tw.arith.add"(%column_42, %421) : (index, index) -> index
        "tw.memref.store"(%154, %b_smem, %422, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %423 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %424 = "tw.arith.add"(%column_42, %423) : (index, index) -> index
        "tw.memref.store"(%157, %b_smem, %424, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %425 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %426 = "tw.arith.add"(%column_42, %425) : (index, index) -> index
        "tw.memref.store"(%160, %b_smem, %426, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %427 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %428 = "tw.arith.add"(%column_42, %427) : (index, index) -> index
        "tw.memref.store"(%163, %b_smem, %428, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %429 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %430 = "tw.arith.add"(%column_42, %429) : (index, index) -> index
        "tw.memref.store"(%166, %b_smem, %430, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %431 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %432 = "tw.arith.add"(%column_42, %431) : (index, index) -> index
        "tw.memref.store"(%169, %b_smem, %432, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %433 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %434 = "tw.arith.add"(%column_42, %433) : (index, index) -> index
        "tw.memref.store"(%172, %b_smem, %434, %row_41) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%190, %b_smem, %column_44, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %435 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %436 = "tw.arith.add"(%column_44, %435) : (index, index) -> index
        "tw.memref.store"(%193, %b_smem, %436, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %437 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %438 = "tw.arith.add"(%column_44, %437) : (index, index) -> index
        "tw.memref.store"(%196, %b_smem, %438, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %439 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %440 = "tw.arith.add"(%column_44, %439) : (index, index) -> index
        "tw.memref.store"(%199, %b_smem, %440, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %441 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %442 = "tw.arith.add"(%column_44, %441) : (index, index) -> index
        "tw.memref.store"(%202, %b_smem, %442, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %443 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %444 = "tw.arith.add"(%column_44, %443) : (index, index) -> index
        "tw.memref.store"(%205, %b_smem, %444, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %445 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %446 = "tw.arith.add"(%column_44, %445) : (index, index) -> index
        "tw.memref.store"(%208, %b_smem, %446, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %447 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %448 = "tw.arith.add"(%column_44, %447) : (index, index) -> index
        "tw.memref.store"(%211, %b_smem, %448, %row_43) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%229, %b_smem, %column_46, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %449 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %450 = "tw.arith.add"(%column_46, %449) : (index, index) -> index
        "tw.memref.store"(%232, %b_smem, %450, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %451 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %452 = "tw.arith.add"(%column_46, %451) : (index, index) -> index
        "tw.memref.store"(%235, %b_smem, %452, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %453 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %454 = "tw.arith.add"(%column_46, %453) : (index, index) -> index
        "tw.memref.store"(%238, %b_smem, %454, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %455 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %456 = "tw.arith.add"(%column_46, %455) : (index, index) -> index
        "tw.memref.store"(%241, %b_smem, %456, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %457 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %458 = "tw.arith.add"(%column_46, %457) : (index, index) -> index
        "tw.memref.store"(%244, %b_smem, %458, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %459 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %460 = "tw.arith.add"(%column_46, %459) : (index, index) -> index
        "tw.memref.store"(%247, %b_smem, %460, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        %461 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %462 = "tw.arith.add"(%column_46, %461) : (index, index) -> index
        "tw.memref.store"(%250, %b_smem, %462, %row_45) : (f16, !tw.type<"memref<f16x136x64,local>">, index, index) -> ()
        "tw.memref.store"(%264, %a_smem, %column_48, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %463 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %464 = "tw.arith.add"(%column_48, %463) : (index, index) -> index
        "tw.memref.store"(%267, %a_smem, %464, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %465 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %466 = "tw.arith.add"(%column_48, %465) : (index, index) -> index
        "tw.memref.store"(%270, %a_smem, %466, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %467 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %468 = "tw.arith.add"(%column_48, %467) : (index, index) -> index
        "tw.memref.store"(%273, %a_smem, %468, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %469 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %470 = "tw.arith.add"(%column_48, %469) : (index, index) -> index
        "tw.memref.store"(%276, %a_smem, %470, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %471 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %472 = "tw.arith.add"(%column_48, %471) : (index, index) -> index
        "tw.memref.store"(%279, %a_smem, %472, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %473 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %474 = "tw.arith.add"(%column_48, %473) : (index, index) -> index
        "tw.memref.store"(%282, %a_smem, %474, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %475 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %476 = "tw.arith.add"(%column_48, %475) : (index, index) -> index
        "tw.memref.store"(%285, %a_smem, %476, %row_47) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.memref.store"(%303, %a_smem, %column_50, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %477 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %478 = "tw.arith.add"(%column_50, %477) : (index, index) -> index
        "tw.memref.store"(%306, %a_smem, %478, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %479 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %480 = "tw.arith.add"(%column_50, %479) : (index, index) -> index
        "tw.memref.store"(%309, %a_smem, %480, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %481 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %482 = "tw.arith.add"(%column_50, %481) : (index, index) -> index
        "tw.memref.store"(%312, %a_smem, %482, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %483 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %484 = "tw.arith.add"(%column_50, %483) : (index, index) -> index
        "tw.memref.store"(%315, %a_smem, %484, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %485 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %486 = "tw.arith.add"(%column_50, %485) : (index, index) -> index
        "tw.memref.store"(%318, %a_smem, %486, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %487 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %488 = "tw.arith.add"(%column_50, %487) : (index, index) -> index
        "tw.memref.store"(%321, %a_smem, %488, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %489 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %490 = "tw.arith.add"(%column_50, %489) : (index, index) -> index
        "tw.memref.store"(%324, %a_smem, %490, %row_49) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.memref.store"(%342, %a_smem, %column_52, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %491 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %492 = "tw.arith.add"(%column_52, %491) : (index, index) -> index
        "tw.memref.store"(%345, %a_smem, %492, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %493 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %494 = "tw.arith.add"(%column_52, %493) : (index, index) -> index
        "tw.memref.store"(%348, %a_smem, %494, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %495 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %496 = "tw.arith.add"(%column_52, %495) : (index, index) -> index
        "tw.memref.store"(%351, %a_smem, %496, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %497 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %498 = "tw.arith.add"(%column_52, %497) : (index, index) -> index
        "tw.memref.store"(%354, %a_smem, %498, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %499 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %500 = "tw.arith.add"(%column_52, %499) : (index, index) -> index
        "tw.memref.store"(%357, %a_smem, %500, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %501 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %502 = "tw.arith.add"(%column_52, %501) : (index, index) -> index
        "tw.memref.store"(%360, %a_smem, %502, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %503 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %504 = "tw.arith.add"(%column_52, %503) : (index, index) -> index
        "tw.memref.store"(%363, %a_smem, %504, %row_51) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.memref.store"(%381, %a_smem, %column_54, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %505 = "tw.arith.constant"() <{value = 1 : i64}> : () -> index
        %506 = "tw.arith.add"(%column_54, %505) : (index, index) -> index
        "tw.memref.store"(%384, %a_smem, %506, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %507 = "tw.arith.constant"() <{value = 2 : i64}> : () -> index
        %508 = "tw.arith.add"(%column_54, %507) : (index, index) -> index
        "tw.memref.store"(%387, %a_smem, %508, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %509 = "tw.arith.constant"() <{value = 3 : i64}> : () -> index
        %510 = "tw.arith.add"(%column_54, %509) : (index, index) -> index
        "tw.memref.store"(%390, %a_smem, %510, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %511 = "tw.arith.constant"() <{value = 4 : i64}> : () -> index
        %512 = "tw.arith.add"(%column_54, %511) : (index, index) -> index
        "tw.memref.store"(%393, %a_smem, %512, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %513 = "tw.arith.constant"() <{value = 5 : i64}> : () -> index
        %514 = "tw.arith.add"(%column_54, %513) : (index, index) -> index
        "tw.memref.store"(%396, %a_smem, %514, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %515 = "tw.arith.constant"() <{value = 6 : i64}> : () -> index
        %516 = "tw.arith.add"(%column_54, %515) : (index, index) -> index
        "tw.memref.store"(%399, %a_smem, %516, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        %517 = "tw.arith.constant"() <{value = 7 : i64}> : () -> index
        %518 = "tw.arith.add"(%column_54, %517) : (index, index) -> index
        "tw.memref.store"(%402, %a_smem, %518, %row_53) : (f16, !tw.type<"memref<f16x72x128,local>">, index, index) -> ()
        "tw.scf.yield"(%406#0, %406#1, %406#2, %406#3, %406#4, %406#5, %406#6, %406#7) : (!tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">, !tw.type<"tile<16x16xf32>">) -> ()
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

