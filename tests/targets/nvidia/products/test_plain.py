"""Products of extents and types that no unit takes, and by numbers of warps that are no powers of two."""

from __future__ import annotations

from typing import Final

import numpy as np
import pytest

import tilewright as tw
from generators.element_types import SCALARS
from targets.nvidia.case import Array, Launch, faults
from targets.nvidia.emulated import Emulated, emulated
from targets.nvidia.emulator.machine import Program
from targets.nvidia.lane_level import interpreted
from targets.nvidia.products.test_levels import levels, some
from targets.nvidia.test_ragged import lowered
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm

SUMS: Final = {"f16": "f32", "i8": "i32"}
CASES: Final = [
    # m, n, k, threads, element, what the schedule says
    (48, 48, 48, 96, "f16", "product=48x48x48:m16n8k16.row.col.f32.f32/1x3/1"),
    (48, 48, 48, 96, "f32", "product=48x48x48:fma.f32/1x3/1"),
    (24, 56, 48, 64, "i8", "product=24x56x48:fma.i32/1x2/1"),
    (20, 9, 9, 96, "f32", "20x9x9, f32 by f32 into f32, by no unit: fma.f32"),
    (7, 5, 3, 160, "f64", "7x5x3, f64 by f64 into f64, by no unit: m8n8k4.row.col.f64"),
    (5, 1, 12, 64, "i8", "5x1x12, i8 by i8 into i32, by no unit"),
    (1, 1, 1, 32, "f32", "1x1x1, f32 by f32 into f32, by no unit"),
    (12, 20, 6, 32, "c32", "12x20x6, c32 by c32 into c32, by no unit: nothing multiplies c32 by c32 into c32"),
]


def text(extents: tuple[int, int, int], threads: int, element: str, turned: bool) -> str:
    """`C := A B + 2 C`, or of turned factors, of static extents."""
    (m, n, k), total = extents, SUMS.get(element, element)
    a, b = ((k, m), (n, k)) if turned else ((m, k), (k, n))
    one, two = {"i": ("1", "2"), "f": ("1.0", "2.0"), "c": ("[1.0, 0.0]", "[2.0, 0.0]")}[total[0]]
    if element.startswith("i"):
        one = "1"
    return f"""func @k(%A: memref<{element}x{a[0]}x{a[1]}>, %B: memref<{element}x{b[0]}x{b[1]}>,
        %C: memref<{total}x{m}x{n}>) attributes {{subgroup_size=32, work_group_size=[{threads},1]}} {{
    %one = constant {one} : {element}
    %two = constant {two} : {total}
    gemm.{"t.t" if turned else "n.n"} %one, %A, %B, %two, %C
}}
"""


@pytest.mark.parametrize(("rows", "unit"), [("32,1", True), ("16,2", False)])
def test_subgroups_are_warps_where_rows_of_work_items_allow(rows: str, unit: bool) -> None:
    source = text((32, 32, 32), 32, "f32", False).replace("32, work_group_size=[32,1]", f"16, work_group_size=[{rows}]")
    assert ("product=" in tw.compile(source, target="nvidia:sm_80", cache=False).k.schedule) == unit


@pytest.mark.covering(1)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("m", "n", "k", "threads", "element", "said"), CASES)
def test_right_on_every_level(
    m: int, n: int, k: int, threads: int, element: str, said: str, turned: bool, rng: np.random.Generator
) -> None:
    def numbers(shape: tuple[int, int], kind: str, *of: int) -> Array:
        return np.array(rng.choice(of or range(-4, 5), shape), SCALARS[kind], order="F")

    # no number of a factor is one of the other, so that even one element tells them apart
    a = numbers((k, m) if turned else (m, k), element, -3, -1, 1, 3)
    b = numbers((n, k) if turned else (k, n), element, -4, -2, 2, 4)
    c = numbers((m, n), SUMS.get(element, element))
    wide = np.complex128 if element == "c32" else np.float64
    x, y = (a.T.astype(wide), b.T.astype(wide)) if turned else (a.astype(wide), b.astype(wide))
    given = Launch([a, b, c], {2: (x @ y + 2 * c.astype(wide)).astype(c.dtype)})
    module = None
    for module in some(levels(text((m, n, k), threads, element, turned), Architecture.SM_80), rng):
        found = faults(given, {2: interpreted(module, given)[2]})
        assert not found, found
    assert module is not None
    assert said in (module.kernels[0].schedule or "")
    llvm, kernels = emit_llvm(module, Architecture.SM_80)
    found = faults(given, Emulated(Program(llvm), kernels).run(given))
    assert not found, found


@pytest.mark.parametrize(("m", "n", "k"), [(16, 8, 0), (0, 8, 8), (8, 0, 8)])
def test_tiles_without_elements_are_not_multiplied(m: int, n: int, k: int, rng: np.random.Generator) -> None:
    """Sums of nothing stay what they were."""
    head = 'sym_name = "k", subgroup_size = 32, work_group_size = [64, 1]'
    module = lowered(f"""builtin.module {{ builtin.kernel {{{head}}}
    (%A: memref<f32x16x16>, %B: memref<f32x16x16>, %C: memref<f32x16x16>) {{
      %z = arith.constant {{value = 0}} -> index
      %a = tile.load %A, %z, %z -> tile<{m}x{k}xf32>
      %b = tile.load %B, %z, %z -> tile<{k}x{n}xf32>
      %c = tile.load %C, %z, %z -> tile<{m}x{n}xf32>
      %x = tile.mma %a, %b, %c -> tile<{m}x{n}xf32>
      %y = arith.add %x, %x -> tile<{m}x{n}xf32>
      tile.store %y, %C, %z, %z }} }}""")
    assert "product" not in (module.kernels[0].schedule or "")
    a, b, c = (np.array(rng.integers(-4, 5, (16, 16)), np.float32, order="F") for _ in range(3))
    found = np.asarray(emulated(module).run(Launch([a, b, c], {}))[2])
    wanted = c.copy()
    wanted[:m, :n] *= 2
    np.testing.assert_array_equal(found, wanted)
