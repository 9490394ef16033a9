"""lower-foreach: work-items over points, subgroups over tiles."""

from __future__ import annotations

import numpy as np
import pytest

from tilewright.interpreter import interpret
from tilewright.ir.types import I32
from tilewright.ir.types import memref as memref_of
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


def test_ranges_that_end_far_in_front_of_their_start_are_empty() -> None:
    """The difference of the bounds is no number of 64 bits."""
    body = """%one = arith.constant {value = 1} -> i32 %c = arith.constant {value = 0} -> index
        tl.foreach %z, %n {operand_segments = [1, 1]} (%i: index) { memref.store %one, %A, %c }"""
    module = kernel("%A: memref<i32x4>, %z: index, %n: index", body)
    run(module, LowerForeach())
    stored = np.zeros(4, np.int32)
    interpret(module.kernels[0], [stored, 2**62, -(2**63)], fuel=1000)
    assert not stored.any()
    interpret(module.kernels[0], [stored, -5, -4], fuel=1000)
    assert stored.any()


@pytest.mark.parametrize("attributes", ["[4, 1]", "[8, 1]", "[8, 3]", "[4, 5]"])
@pytest.mark.parametrize("shape", [(19,), (8,), (7, 5), (8, 6), (5, 2, 3), (0, 4)])
def test_every_point_is_visited_once(attributes: str, shape: tuple[int, ...]) -> None:
    names = [f"%i{k}" for k in range(len(shape))]
    ends = " ".join(f"%n{k} = arith.constant {{value = {n}}} -> index" for k, n in enumerate(shape))
    lowers, uppers = ", ".join("%z" for _ in shape), ", ".join(f"%n{k}" for k in range(len(shape)))
    body = f"""%z = arith.constant {{value = 0}} -> index %one = arith.constant {{value = 1}} -> i32 {ends}
        tl.foreach {lowers}, {uppers} {{operand_segments = [{len(shape)}, {len(shape)}]}}
          ({", ".join(f"{name}: index" for name in names)}) {{
          %o = memref.atomic_rmw %one, %A, {", ".join(names)} {{kind = "add"}} -> i32 }}"""
    module = kernel(f"%A: {memref_of(I32, shape)}", body, f"subgroup_size = 4, work_group_size = {attributes}")
    run(module, LowerForeach())
    visits = np.zeros(shape, np.int32, order="F")
    interpret(module.kernels[0], [visits])
    np.testing.assert_array_equal(visits, np.ones(shape))


@pytest.mark.parametrize(
    ("change", "kept"),
    [
        (("value = 0", "value = -32"), True),
        (("tile_shape = [32, 8]", "tile_shape = [16, 8]"), True),
        (("value = 0", "value = 32"), False),
        (("f32x32x8,", "f32x16x8,"), False),
    ],
)
def test_rows_are_tested_unless_a_full_tile_certainly_has_them(change: tuple[str, str], kept: bool) -> None:
    text = run(kernel("%A: memref<f32x?x64>, %B: memref<f32x?x64>", TILES.replace(*change)), LowerForeach())
    full, _, rest = text.partition("} {")
    assert rest
    load = next(line for line in full.splitlines() if "cooperative_matrix_load" in line)
    assert ("rows_checked" in load or "both_checked" in load) is kept
