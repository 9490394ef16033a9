"""foreach and foreach_tile: their lists and tiles (V43, V44)."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.dialects import tl
from tilewright.frontends.tensor_language.rules.facts import counted, name_of, subgroup_size_of
from tilewright.ir.core import Operation


def _lists(op: tl.Foreach | tl.ForeachTile, variables: int, report: Report) -> bool:
    """As many lower and upper bounds as variables, in pairs of one type."""
    lowers, uppers = len(op.lowers), len(op.uppers)
    if not lowers == uppers == variables:
        report.error(
            "V43",
            op.location,
            f"{counted(variables, 'variable')}, {counted(lowers, 'lower bound')} and {counted(uppers, 'upper bound')}",
        ).hint("all lists have the same number of entries, one for each mode")
        return False
    for k, (low, high) in enumerate(zip(op.lowers, op.uppers, strict=True)):
        if low.type != high.type:
            report.error(
                "V43", op.place(("operand", lowers + k)), f"mode {k} counts from {low.type} to {high.type}"
            ).label(op.place(("operand", k)), f"this is {low.type}").hint(f"cast {name_of(high)} to {low.type}")
            return False
    return True


def foreach(op: tl.Foreach, report: Report) -> None:
    """Three lists of one length."""
    _lists(op, len(op.body.entry.arguments), report)


def foreach_tile(op: tl.ForeachTile, report: Report) -> None:
    """Five lists of one length; positive tiles, the first a multiple of the subgroup size."""
    modes = len(op.tile_shape)
    variables = len(op.body.entry.arguments) // 2
    if variables != modes:
        report.error(
            "V43", op.place("tile_shape"), f"{counted(modes, 'tile extent')} for {counted(variables, 'variable')}"
        ).hint("all five lists have the same number of entries")
        return
    if not _lists(op, modes, report):
        return
    for k, extent in enumerate(op.tile_shape):
        if extent <= 0:
            report.error("V44", op.place(("tile", k)), f"tile extent {extent} is not positive").hint(
                "a tile has at least one row and column"
            )
    size = subgroup_size_of(op)
    if size is not None and op.tile_shape[0] > 0 and op.tile_shape[0] % size:
        report.error(
            "V44", op.place(("tile", 0)), f"{op.tile_shape[0]} rows are no multiple of the subgroup size {size}"
        ).hint(f"use {-(-op.tile_shape[0] // size) * size} rows")


def rules() -> dict[type[Operation], object]:
    """Rules of this file by operation."""
    return {tl.Foreach: foreach, tl.ForeachTile: foreach_tile}
