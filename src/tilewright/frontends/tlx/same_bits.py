"""Values whose bits are read as those of another type."""

from __future__ import annotations

from typing import Final

from tilewright.dialects import arith_integers, tile
from tilewright.frontends.tlx.context import FunctionImport
from tilewright.ir.core import Value
from tilewright.ir.types import I8, I16, I32, I64, TileType, Type, element_of, with_element


def reread(f: FunctionImport, value: Value, to: Type) -> Value:
    """The same bits as another type: of other elements, or of as many bits in fewer or more of them."""
    if value.type == to:
        return value
    before, after = element_of(value.type), element_of(to)
    assert before is not None
    assert after is not None
    if before.bits == after.bits and isinstance(value.type, TileType) is isinstance(to, TileType):
        return f.b(arith_integers.Bitcast(value, result_types=[to])).out
    row = value if isinstance(value.type, TileType) else f.splat(value, 1)
    assert isinstance(row.type, TileType)
    total = row.type.size * before.bits
    integers = _integers(f, row)
    wanted = TileType((total // after.bits,), _INTEGERS[after.bits])
    if integers.type != wanted:
        integers = f.b(tile.Reinterpret(integers, result_types=[wanted])).out
    found = with_element(wanted, after)
    if integers.type != found:
        integers = f.b(arith_integers.Bitcast(integers, result_types=[found])).out
    return integers if isinstance(to, TileType) else f.b(tile.Item(integers)).out


_INTEGERS: Final = {t.bits: t for t in (I8, I16, I32, I64)}


def _integers(f: FunctionImport, row: Value) -> Value:
    element = element_of(row.type)
    assert element is not None
    wanted = with_element(row.type, _INTEGERS[element.bits])
    return row if row.type == wanted else f.b(arith_integers.Bitcast(row, result_types=[wanted])).out
