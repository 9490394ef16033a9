"""Dropping bounds tests of cooperative matrices inside full tiles of a `tl.foreach_tile`.

Variable k of a full tile satisfies `lower_k <= i_k` and `i_k + c_k <= upper_k`. An access at `[i_k, ..]` of at most c_k
elements is in bounds along mode d of its memref if `lower_k` is a constant >= 0 and `upper_k` is that mode's extent:
the same `memref.size`, or a constant not above the static extent.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tilewright.dialects import memref, tl
from tilewright.dialects.arith import Cast
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import CoopMatrixType, MemrefType
from tilewright.transforms import emit

Access = tl.CoopLoad | tl.CoopStore | tl.CoopAtomicLoad | tl.CoopAtomicStore | tl.CoopAtomicRmw


def drop_checks(ops: Iterable[Operation], loop: tl.ForeachTile, offsets: Sequence[Value]) -> None:
    """Relax the `checked` flags of accesses in `ops`, the body of `loop` for a full tile at `offsets`."""
    for root in ops:
        for op in root.walk():
            if isinstance(op, Access) and op.checked is not tl.Checked.NONE:
                _relax(op, loop, offsets)


def _relax(op: Access, loop: tl.ForeachTile, offsets: Sequence[Value]) -> None:
    value = op.results[0] if op.results else op.operands[0]
    assert isinstance(value.type, CoopMatrixType)
    extents = value.type.shape
    positions = (op.y, op.x) if op.transpose else (op.x, op.y)
    modes = (1, 0) if op.transpose else (0, 1)
    needed = [
        flag and not _in_bounds(op.memref, mode, position, length, loop, offsets)
        for flag, mode, position, length in zip(_flags(op.checked), modes, positions, extents, strict=True)
    ]
    op.checked = {
        (True, True): tl.Checked.BOTH,
        (True, False): tl.Checked.ROWS,
        (False, True): tl.Checked.COLUMNS,
        (False, False): tl.Checked.NONE,
    }[(needed[0], needed[1])]


def _flags(checked: tl.Checked) -> tuple[bool, bool]:
    return (
        checked in (tl.Checked.ROWS, tl.Checked.BOTH),
        checked in (tl.Checked.COLUMNS, tl.Checked.BOTH),
    )


def _in_bounds(
    view: Value, mode: int, position: Value, length: int, loop: tl.ForeachTile, offsets: Sequence[Value]
) -> bool:
    variable = next((k for k, v in enumerate(offsets) if v is _uncast(position, offsets)), None)
    if variable is None or length > loop.tile_shape[variable]:
        return False
    lower, upper = emit.integer_of(loop.lowers[variable]), loop.uppers[variable]
    if lower is None or lower < 0:
        return False
    assert isinstance(view.type, MemrefType)
    static, known = view.type.shape[mode], emit.integer_of(upper)
    if static is not None:
        return known is not None and known <= static
    while isinstance(cast := upper.defining_op, Cast):
        upper = cast.value
    size = upper.defining_op
    return isinstance(size, memref.Size) and size.source is view and size.mode == mode


def _uncast(value: Value, offsets: Sequence[Value]) -> Value:
    """The loop variable that a position converts to index, else the position."""
    while value not in offsets and isinstance(op := value.defining_op, Cast):
        value = op.value
    return value
