"""print_tko: C's printf over whole tiles."""

from __future__ import annotations

from tilewright.dialects.cuda_tile.misc import Print
from tilewright.dialects.cuda_tile.types import I1, ElementType
from tilewright.dialects.printf import Printed, formatted
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.values import Token, tile_type, to_double
from tilewright.ir.core import Value
from tilewright.numerics.integers import read


def _operand(w: TileBlock, value: Value) -> Printed:
    values, element = w.tile(value), tile_type(value).element
    if not isinstance(element, ElementType):
        return Printed(values.ravel().tolist(), values.shape)
    if element.is_float:
        return Printed(to_double(values, element).ravel().tolist(), values.shape)
    numbers = read(element.integral, values, element is not I1).ravel().tolist()
    return Printed(numbers, values.shape) if element is I1 else Printed(numbers, values.shape, element.bits)


def _print(w: TileBlock, op: Print) -> None:
    w.launch.write(formatted(op.format, [_operand(w, v) for v in op.arguments]))
    for result in op.result_token:
        w.values[result] = w.token(op.token) or Token()


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict((handler(Print, _print),))
