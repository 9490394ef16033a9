"""Branches in loops with several products that the index decides: in the first iteration, which stands in front, and in
all others."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pytest

from targets.nvidia.products.test_attention import TEXTS, arguments
from targets.nvidia.products.test_levels import levels, some
from tilewright.dialects import scf
from tilewright.dialects.builtin import Module
from tilewright.interpreter.engine import interpret
from tilewright.ir.core import Operation
from tilewright.machine.cuda.architecture import Architecture

Array = npt.NDArray[Any]
HOLDS: Final[dict[str, Callable[[int, int], bool]]] = {
    "less_than": operator.lt,
    "greater_than_or_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
OF = TEXTS.Attention(64, 160, 64, (64, 32), causal=True)
"""Five blocks of keys, of which queries see two, in the last of which they see some."""
TEST = "%partly = cmpi greater_than %last, %query, signed : tile<i32> -> tile<i1>"


def of_test(predicate: str, number: int) -> str:
    """The program with another test in front of the mask."""
    text = TEXTS.attention(OF)
    overquery = TEST.replace("%partly", "%overquery")
    assert overquery in text
    bound = f"%bound = constant <i32: {number}> : tile<i32>"
    return text.replace(overquery, f"{bound}\n%overquery = cmpi {predicate} %i, %bound, signed : tile<i32> -> tile<i1>")


def branches(module: Module) -> tuple[int, int]:
    """Those that give tiles, in front of the loop and in it."""

    def count(op: Operation) -> int:
        tiles = [each for each in op.walk() if isinstance(each, scf.If) and len(each.outs) == 1]
        return sum("tile<" in str(each.outs[0].type) for each in tiles)

    loops = [op for op in module.walk() if isinstance(op, scf.For)]
    inside = sum(map(count, loops))
    return count(module) - inside, inside


def wanted(holds: Callable[[int, int], bool], number: int, arrays: Sequence[Array]) -> Array:
    """The result where scores are masked in the blocks for which a test holds."""
    q, k, v = (array.astype(np.float64) for array in arrays[:3])
    columns, seen = OF.blocks[1], OF.queries
    scores = q @ k[:seen].T
    blocks = np.array([holds(key // columns, number) for key in range(seen)])
    scores[blocks & (np.arange(OF.queries)[:, None] < np.arange(seen))] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights / weights.sum(axis=1, keepdims=True) @ v[:seen]


@pytest.mark.parametrize(
    ("predicate", "number", "first", "others"),
    [
        ("less_than", 1, 0, 0),
        ("less_than", 2, 0, 1),
        ("less_than", 0, 0, 0),
        ("greater_than_or_equal", 1, 0, 0),
        ("greater_than_or_equal", 2, 0, 1),
        ("equal", 0, 0, 0),
        ("equal", 1, 0, 1),
        ("not_equal", 0, 1, 1),
    ],
)
def test_what_an_index_decides(predicate: str, number: int, first: int, others: int, rng: np.random.Generator) -> None:
    """Branches are gone where they are decided, and do what they did."""
    modules = list(levels(of_test(predicate, number), Architecture.SM_90A, "threads=128"))
    assert branches(modules[0]) == (first, others)
    given, _ = arguments(OF, rng)
    for module in some(modules, rng):
        arrays = [array.copy() for array in given]
        interpret(module.kernels[0], list(arrays), OF.grid)
        expected = wanted(HOLDS[predicate], number, given)
        np.testing.assert_allclose(arrays[3].astype(np.float64), expected, atol=2e-3)
