"""The order of blocks (`order=8`): blocks that run at a time have few rows and columns of tiles among them.

before:  block number n works on tile (n floordiv columns, n mod columns)
after:   blocks go down a panel of 8 rows of tiles, column by column, before the next panel begins

A device begins blocks in the order of their numbers. Those of whole rows of tiles read all of B; those of a panel share
a part of it, which stays in the second cache while they run. Panels have as many rows as divide those of the grid.
"""

from __future__ import annotations

from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import gpu
from tilewright.ir.affine import AffineConstant, AffineExpression, AffineOperator, Dimension, add, divide, multiply
from tilewright.ir.core import Value
from tilewright.transforms.matmul_stages.index_values import Column, column
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import index_value

WHAT = "order of blocks"


def apply(matmul: Matmul, launch: gpu.Launch) -> None:
    """Number the tiles of the grid anew. Raises `NotApplicable` where only a launch knows how many there are."""
    rows, columns = matmul.blocks
    if not (rows and columns):
        hint = 'leave "order" out'
        raise NotApplicable(launch, "only a launch knows how many blocks there are, whose order is asked for", hint)
    first = launch.body.entry.first
    assert first is not None
    build = Builder.before_op(first)
    x, y = launch.ids(0)[:2]
    group = _rows_of_panel(matmul)
    number = add(multiply(Dimension(1), AffineConstant(columns)), Dimension(0))
    panel = multiply(_divided(AffineOperator.FLOORDIV, number, group * columns), AffineConstant(group))
    within = _divided(AffineOperator.FLOORDIV, _divided(AffineOperator.MOD, number, group * columns), group)
    row = index_value(build, add(panel, _divided(AffineOperator.MOD, number, group)), [x, y], "row_of_blocks")
    across = index_value(build, within, [x, y], "column_of_blocks")
    for old, new in ((x, across), (y, row)):
        for user in list(old.uses):
            if user not in (row.defining_op, across.defining_op):
                user.replace_operand(old, new)
    matmul.made.variables |= {"row_of_blocks": row, "column_of_blocks": across}


def _rows_of_panel(matmul: Matmul) -> int:
    rows, order = matmul.blocks[0], matmul.schedule.order
    assert rows is not None
    return next(n for n in range(min(order, rows), 0, -1) if rows % n == 0)


def _divided(operator: AffineOperator, expression: AffineExpression, divisor: int) -> AffineExpression:
    return divide(operator, expression, AffineConstant(divisor))


def check(matmul: Matmul, launch: gpu.Launch) -> None:
    """The blocks of the first panel, in their order, are all its tiles, each once. Raises `Broken` if not."""
    columns = matmul.blocks[1]
    assert columns is not None
    count = _rows_of_panel(matmul) * columns
    x, y = launch.ids(0)[:2]
    known: dict[Value, Column] = {
        x: [number % columns for number in range(count)],
        y: [number // columns for number in range(count)],
    }
    row, across = (column(matmul.made.variables[f"{name}_of_blocks"], known, count) for name in ("row", "column"))
    wanted = {(r, c) for r in range(count // columns) for c in range(columns)}
    if len(wanted) != count or set(zip(row, across, strict=True)) != wanted:
        raise Broken(WHAT, launch, "blocks do not share the tiles of a panel, one each")
