"""The order of blocks: which tiles they take, mistakes that are found, what does not apply."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import CompileError
from tilewright.dialects.mlir import affine, gpu
from tilewright.ir.core import Value
from tilewright.transforms.matmul_stages import NAMES
from tilewright.transforms.matmul_stages.index_values import column
from transforms.matmul_stages.mutations import found_broken
from transforms.matmul_stages.products import At, Case, behind, outcomes

TILES = "block=32x32x32 warp=32x16x32"


@pytest.mark.parametrize("order", [2, 3])
def test_blocks_take_the_tiles_of_a_panel(order: int) -> None:
    """Of two rows of the four, which three do not divide."""
    at = behind(NAMES[-1], Case(128, 96, 32), f"{TILES} order={order}")
    launch = at.matmul.nest("")
    assert isinstance(launch, gpu.Launch)
    x, y = launch.ids(0)[:2]
    known: dict[Value, list[int]] = {x: [0, 1, 2] * 4, y: [number // 3 for number in range(12)]}
    rows, columns = (column(at.matmul.made.variables[f"{name}_of_blocks"], known, 12) for name in ("row", "column"))
    assert list(rows) == [0, 1] * 3 + [2, 3] * 3
    assert list(columns) == [0, 0, 1, 1, 2, 2] * 2
    at.check()


def test_the_order_of_blocks_that_a_launch_counts_is_refused() -> None:
    with pytest.raises(CompileError, match="only a launch knows how many blocks there are"):
        outcomes(Case(71, 45, 99, opened="i").text, "block=32x32x32 warp=16x16x16 vector=1 order=2")


def test_tiles_that_two_blocks_have_are_found() -> None:
    def same_column(at: At) -> None:
        op = at.matmul.made.variables["column_of_blocks"].defining_op
        assert isinstance(op, affine.Apply)
        op.set_operand(1, op.operands[0])

    found_broken(
        NAMES[-1], same_column, "blocks do not share the tiles of a panel", Case(64, 64, 32), f"{TILES} order=2"
    )
