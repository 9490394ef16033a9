"""What lies outside of the tile block: globals, allocations, assertions and printing."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.dialects import scf, tile
from tilewright.dialects.arith import Predicate
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.cuda_tile import control, core, memory, misc
from tilewright.dialects.cuda_tile import types as cuda
from tilewright.dialects.memref import AtomicKind
from tilewright.dialects.reports import Report, ReportKind
from tilewright.dialects.statics import GlobalAddress, Reserve
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import BOOL, F64, I32, I64, ScalarType, TileType, element_of
from tilewright.transforms.lower_tile_ir.context import Handler, Lowering
from tilewright.transforms.lower_tile_ir.memory import pointee
from tilewright.transforms.lower_tile_ir.shapes import reshaped
from tilewright.transforms.lower_tile_ir.types import element_bytes
from tilewright.transforms.lower_tile_ir.unsigned_floats import number


def _get_global(low: Lowering, op: Operation) -> None:
    assert isinstance(op, core.GetGlobal)
    low.bind(op.out, low.b(GlobalAddress(op.symbol.name)).out)


def _alloca(low: Lowering, op: Operation) -> None:
    assert isinstance(op, memory.Alloca)
    element = pointee(op.out)
    size = (op.num_elem + 1) // 2 if element is cuda.F4E2M1FN else op.num_elem * element_bytes(element)
    low.bind(op.out, low.b(Reserve(size, op.alignment)).out)


def _printed(low: Lowering, value: Value) -> tuple[Value, int]:
    """An operand as f64 or i64, and the width as which it is read without sign."""
    found = number(low, value)
    element = element_of(found.type)
    assert element is not None
    assert isinstance(value.type, cuda.Tile)
    if element.is_float:
        return low.cast(found, F64), 0
    if element is BOOL or isinstance(value.type.element, cuda.Pointer):
        return low.widened(found, I64, False), 0
    return low.widened(found, I64, True), element.bits


def _print(low: Lowering, op: Operation) -> None:
    assert isinstance(op, misc.Print)
    operands = [_printed(low, value) for value in op.arguments]
    low.b(Report([v for v, _ in operands], ReportKind.PRINT, op.format, tuple(bits for _, bits in operands)))


def _assert(low: Lowering, op: Operation) -> None:
    """A report of the whole condition if any element is false."""
    assert isinstance(op, control.Assert)
    condition = low.value(op.condition)
    body, block = new_region()
    inner = low.inside(Builder(block, location=op.location))
    inner.b(Report([inner.widened(condition, I64, False)], ReportKind.ASSERT, op.message, (0,)))
    inner.b(scf.Yield([]))
    low.b(scf.If(low.not_(_all(low, condition)), body, None, result_types=[]))


def _all(low: Lowering, condition: Value) -> Value:
    if isinstance(condition.type, ScalarType):
        return condition
    assert isinstance(condition.type, TileType)
    numbers = low.widened(reshaped(low, condition, TileType((condition.type.size,), BOOL)), I32, False)
    least = low.b(tile.Item(low.b(tile.Reduce(numbers, AtomicKind.MIN, 0)).out)).out
    return low.compare(Predicate.NE, least, low.constant(0, I32))


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {core.GetGlobal: _get_global, memory.Alloca: _alloca, misc.Print: _print, control.Assert: _assert}
