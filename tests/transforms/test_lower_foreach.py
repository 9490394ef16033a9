"""lower-foreach: work-items over points, subgroups over tiles."""

from __future__ import annotations

from tilewright.transforms.lower_foreach import LowerForeach
from transforms.support import filecheck, kernel, names, run

COPY = """%v = memref.load %A, %i -> f32  memref.store %v, %B, %i"""
BOUNDS = "%z = arith.constant {value = 0} -> index  %n = arith.constant {value = N} -> index"


def one_mode(n: int, attributes: str = "subgroup_size = 16, work_group_size = [32, 1]") -> str:
    body = f"{BOUNDS.replace('N', str(n))} tl.foreach %z, %n {{operand_segments = [1, 1]}} (%i: index) {{ {COPY} }}"
    module = kernel("%A: memref<f32x100>, %B: memref<f32x100>", body, attributes)
    return run(module, LowerForeach())


def test_full_steps_are_unmasked_and_the_rest_is_tested_once() -> None:
    filecheck(one_mode(100), "team.spmd\nscf.for\nmemref.load %A\nscf.if\nmemref.load %A")


def test_exact_multiples_need_no_test() -> None:
    text = one_mode(96)
    assert "scf.if" not in text
    assert text.count("memref.load") == 1
    text = one_mode(32)
    assert "scf.for" not in text
    assert "scf.if" not in text


def test_short_loops_have_only_the_tested_part() -> None:
    text = one_mode(7)
    assert "scf.for" not in text
    assert text.count("memref.load") == 1


def test_large_bodies_are_not_duplicated() -> None:
    body = f"{BOUNDS.replace('N', '100')} tl.foreach %z, %n {{operand_segments = [1, 1]}} (%i: index) {{ {COPY} }}"
    module = kernel("%A: memref<f32x100>, %B: memref<f32x100>", body)
    text = run(module, LowerForeach(copy_limit=1))
    assert text.count("memref.load") == 1


def test_narrow_variables_count_in_index() -> None:
    module = kernel(
        "%n: i8, %A: memref<f32x?x?>",
        """tl.foreach %n, %n, %n, %n {operand_segments = [2, 2]} (%i: i8, %j: i8) {
             %x = arith.cast %i -> index  %y = arith.cast %j -> index  %v = memref.load %A, %x, %y -> f32
             memref.store %v, %A, %y, %x }""",
        "subgroup_size = 8, work_group_size = [8, 4]",
    )
    text = run(module, LowerForeach())
    filecheck(text, "team.spmd\narith.cast %n -> index\nteam.subgroup_id {dim = 1}\nscf.for\nscf.for\nmemref.load")
    assert "team.subgroup_id {dim = 0}" not in text


TILES = """
  %z = arith.constant {value = 0} -> index
  %m = memref.size %A {mode = 0} -> index
  %n = arith.constant {value = 64} -> index
  tl.foreach_tile %z, %z, %m, %n {tile_shape = [32, 8], operand_segments = [2, 2]}
    (%r: index, %c: index, %h: index, %w: index) {
    %x = tl.cooperative_matrix_load %A, %r, %c {checked = "both_checked"} -> coopmatrix<f32x32x8,matrix_acc>
    tl.cooperative_matrix_store %x, %B, %r, %c {checked = "both_checked"}
  }"""


def test_full_tiles_run_unchecked() -> None:
    module = kernel("%A: memref<f32x?x64>, %B: memref<f32x?x64>", TILES)
    filecheck(
        run(module, LowerForeach()),
        """
        scf.if
        load %A{{.*}} {checked = "none"}
        store {{.*}} %B{{.*}} {checked = "rows_checked"}
        load %A{{.*}} {checked = "both_checked"}
        """,
    )


def test_tiles_are_dealt_to_subgroups() -> None:
    module = kernel(
        "%A: memref<f32x?x64>, %B: memref<f32x?x64>", TILES, "subgroup_size = 16, work_group_size = [32, 2]"
    )
    filecheck(run(module, LowerForeach()), "team.subgroup_id {dim = 1}\nscf.for\nteam.subgroup_id {dim = 0}\nscf.for")
    assert names(module)["tl.foreach_tile"] == 0
