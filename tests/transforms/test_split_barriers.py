"""split-barriers: segments, loops, ifs, crossing values."""

from __future__ import annotations

from tilewright.dialects import team
from tilewright.transforms.split_barriers import SplitBarriers
from transforms.support import filecheck, kernel, run

SUBGROUPS = "subgroup_size = 8, work_group_size = [16, 2]"
PARAMETERS = "%A: memref<f32x?>, %x: f32, %z: index, %n: index, %p: bool"
BARRIER = "team.barrier {fence_global = true}"


def split(body: str, attributes: str = SUBGROUPS) -> str:
    module = kernel(PARAMETERS, f"team.spmd {{ {body} }}", attributes)
    text = run(module, SplitBarriers())
    if attributes == SUBGROUPS:
        for op in module.walk():
            assert not (isinstance(op, team.Barrier) and isinstance(op.parent_op, team.Spmd)), text
    return text


def test_straight_line() -> None:
    text = split(f"memref.store %x, %A, %z {BARRIER} %v = memref.load %A, %n -> f32 memref.store %v, %A, %z")
    filecheck(text, "team.spmd\nmemref.store %x\n}\nteam.barrier {fence_global = true\nteam.spmd\nmemref.load %A, %n")
    assert "alloca" not in text


def test_one_subgroup_stays() -> None:
    text = split(f"memref.store %x, %A, %z {BARRIER}", "subgroup_size = 8, work_group_size = [8, 1]")
    assert text.count("team.spmd") == 1


def test_cheap_values_are_computed_again_and_others_kept() -> None:
    text = split(
        f"""%l = team.subgroup_local_id -> i32 %i = arith.cast %l -> index %v = memref.load %A, %i -> f32
            {BARRIER} memref.store %v, %A, %i"""
    )
    filecheck(
        text,
        """
        memref.alloca {{.*}} -> memref<f32x32,local>
        team.spmd
        memref.store
        team.barrier {fence_global = true, fence_local = true}
        team.spmd
        team.subgroup_local_id
        memref.load
        memref.store {{.*}} %A
        """,
    )
    assert text.count("memref.alloca") == 1


def test_bools_and_tiles_are_kept() -> None:
    text = split(
        f"""%v = memref.load %A, %z -> f32 %q = arith.cmp %v, %x {{predicate = "lt"}} -> bool
            %s = tile.load %A, %z -> tile<16xf32> {BARRIER}
            scf.if %q {{ memref.store %x, %A, %z }} tile.store %s, %A, %z"""
    )
    filecheck(text, "memref.alloca {{.*}} -> memref<f32x16x4,local>\ntile.store\nteam.barrier\nmemref.load\ntile.load")


def test_loops_around_barriers_are_collective() -> None:
    text = split(
        f"""%s = scf.for %z, %n, %x {{operand_segments = [1, 1, 0, 1]}} -> f32 (%i: index, %c: f32) {{
              memref.store %c, %A, %i {BARRIER} %v = memref.load %A, %z -> f32 %w = arith.add %v, %c -> f32
              scf.yield %w }}
            memref.store %s, %A, %z"""
    )
    filecheck(
        text,
        """
        memref.alloca
        team.spmd
        memref.store %x
        scf.for %z, %n {operand_segments = [1, 1, 0, 0]} ({{.*}}: index) {
        team.spmd
        memref.store {{.*}}, %A,
        team.barrier
        team.spmd
        arith.add
        memref.store
        team.spmd
        memref.load
        memref.store {{.*}} %A, %z
        """,
    )


def test_conditions_known_only_inside_are_read_from_one_work_item() -> None:
    text = split(
        f"""%v = memref.load %A, %z -> f32 %q = arith.cmp %v, %x {{predicate = "lt"}} -> bool
            scf.if %q {{ memref.store %x, %A, %z {BARRIER} }} memref.store %v, %A, %z"""
    )
    filecheck(
        text, "team.spmd\nteam.barrier {fence_local = true}\nmemref.load\nscf.if\nteam.spmd\nteam.barrier\nteam.spmd"
    )


def test_stack_is_laid_out_again() -> None:
    text = split(f"%v = memref.load %A, %z -> f32 {BARRIER} memref.store %v, %A, %z")
    assert "local_bytes = 128" in text
    assert "offset = 0" in text
