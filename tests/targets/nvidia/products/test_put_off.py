"""What an iteration leaves to the next one is computed behind the products that begin first, wherever it may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

import numpy as np
import pytest

import tilewright as tw
from targets.nvidia.products.test_attention import TEXTS, arguments
from targets.nvidia.products.test_levels import levels
from targets.nvidia.products.test_tensor_rings import TURNS, checked, emulate
from tilewright.dialects import arith, gpu_products, gpu_sums, scf
from tilewright.ir.core import Operation
from tilewright.ir.types import TileType
from tilewright.machine.cuda.architecture import Architecture
from tilewright.targets.nvidia.generation import emit_llvm

OF: Final = TEXTS.Attention(128, 3 * 64, 64, (128, 64))
"""Two groups of warps, which take turns."""
LINE, SUMS = "tile<128xf32>", "tile<128x64xf32>"


def carrying(text: str, line: str, then: str = "%then") -> str:
    """The program with one more value that the loop carries, `%more`, of which a line computes the next one; the result
    is as it was."""
    text = text.replace("%m, %l, %sum = for", "%m, %l, %sum, %mores = for")
    text = text.replace("%acc = %nothing) -> (", f"%acc = %nothing, %more = %none) -> ({LINE}, ")
    text = text.replace(f"({LINE}, {LINE}, {LINE}, {SUMS})", f"({LINE}, {LINE}, {SUMS}, {LINE})")
    given = f"continue %mn, %ln, %next : {LINE}, {LINE}, {SUMS}"
    text = text.replace(given, f"{line}\ncontinue %mn, %ln, %next, {then} : {LINE}, {LINE}, {SUMS}, {LINE}")
    return text.replace(
        "%inverse = divf %unit, %l ",
        f"%nil = mulf %mores, %none : {LINE}\n%lz = addf %l, %nil : {LINE}\n%inverse = divf %unit, %lz ",
    )


def by_elements(text: str) -> str:
    """What accumulators are multiplied by is another number for each of them."""
    line = next(line for line in text.splitlines() if line.startswith("%scaled = "))
    factor = f"%each = fma %e, %nothing, %fw : {SUMS}"
    return text.replace(line, f"{factor}\n{line.replace('%fw', '%each')}")


PROGRAMS: Final[Mapping[str, tuple[Callable[[str], str], bool, bool]]] = {
    "plain": (lambda text: text, True, True),
    "a factor that is handed on itself": (lambda text: carrying(text, f"%then = maxf %more, %f : {LINE}"), True, True),
    "a part that is handed on": (lambda text: carrying(text, f"%then = addf %lf, %none : {LINE}"), True, True),
    "sums that are used at once": (lambda text: carrying(text, f"%then = maxf %more, %ln : {LINE}"), False, True),
    "sums of the iteration before": (lambda text: carrying(text, f"%then = maxf %more, %li : {LINE}"), True, True),
    "sums twice": (lambda text: carrying(text, "", "%ln"), False, True),
    "a number for each": (by_elements, True, False),
}
"""Changes of the program, and whether its sums of lines, and accumulators, wait for the next iteration."""


def steady(module_ops: list[Operation]) -> list[Operation]:
    """The body of the loop in which a product adds to accumulators of the iteration before."""
    loops = [op for op in module_ops if isinstance(op, scf.For)]
    bodies = [list(loop.body.entry) for loop in loops]
    return next(body for body in bodies if sum(isinstance(op, gpu_products.Mma) for op in body) > 1)


def is_scaling(op: Operation) -> bool:
    """Whether accumulators are multiplied."""
    return isinstance(op, arith.Mul) and isinstance(op.out.type, TileType) and len(op.out.type.shape) > 1


@pytest.mark.covering(0)
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str, rng: np.random.Generator) -> None:
    change, puts_lines_off, puts_sums_off = PROGRAMS[name]
    modules = list(levels(change(TEXTS.attention(OF)), Architecture.SM_90A, TURNS))
    body = steady(list(modules[0].kernels[0].walk()))
    first, last = (number for number, op in enumerate(body) if isinstance(op, gpu_products.Mma))
    between, behind = body[first:last], body[last:]
    assert any(isinstance(op, gpu_sums.SumLanes) for op in behind) == puts_lines_off
    assert any(map(is_scaling, between)) == puts_sums_off
    checked(modules[0], OF, rng)
    given, wanted = arguments(OF, rng)
    found = emulate(*emit_llvm(modules[-1], Architecture.SM_90A), given, (1, 1, 1), 0)
    np.testing.assert_allclose(np.asarray(found, np.float64), wanted, atol=2e-3)


def test_nothing_is_put_off_where_groups_take_no_turns() -> None:
    """Products of others would come between those of a group."""
    module = next(iter(levels(TEXTS.attention(OF), Architecture.SM_90A, "threads=256 turns=no")))
    assert not any(isinstance(op, gpu_sums.SumLanes) for op in module.kernels[0].walk())


def test_no_more_is_computed_in_front_of_the_first_product() -> None:
    """LLVM finds what stands in the loop and behind it alike, and would compute it once in front of the test for one
    more iteration, for which the unit waits."""
    q = np.zeros((1, 1, 256, 128), np.float16)
    kernel = tw.attention.plan(q, q, q, causal=True, target="nvidia:sm_90a").kernel
    assert "turns=yes" in kernel.schedule
    parts = [part.partition("wgmma.mma_async")[0] for part in re.split(r"wgmma\.commit_group", kernel.asm)]
    # behind the last one the result is divided by its sums
    scaled = [part.count("mul.rn.f32") for part in parts[:-1] if "ex2" not in part]
    assert max(scaled) >= 64, "128 x 128 accumulators of 256 threads"
