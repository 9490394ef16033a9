"""print_tko: C's printf over whole tiles, which are nested lists.

Where the type of an operand does not match its conversion, integers are converted to floats and floats truncated.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from numpy.typing import NDArray

from tilewright.dialects.cuda_tile.misc import Print
from tilewright.dialects.cuda_tile.types import I1, ElementType, Pointer
from tilewright.interpreter.tile_ir.block import Entries, TileBlock, handler
from tilewright.interpreter.tile_ir.values import Token, signed, tile_type, to_double, unsigned
from tilewright.ir.core import Value

Array = NDArray[Any]

_CONVERSION: Final = re.compile(r"%(%|([-+ #0]*)(\d*)((?:\.\d*)?)[^%diuoxXeEfFgGaAcsSpn]*([diuoxXeEfFgGaAcsSpn]))")
_NO_POINTER: Final = "0x0"


def _number(values: Array, element: object, letter: str) -> list[Any]:
    """Elements as Python numbers that suit a conversion."""
    if isinstance(element, Pointer):
        return values.ravel().tolist()
    assert isinstance(element, ElementType)
    if element.is_float:
        return to_double(values, element).ravel().tolist()
    as_unsigned = letter in "uoxXp" or element is I1
    return (unsigned(values) if as_unsigned else signed(values)).ravel().tolist()


def _spell(number: float | int, flags: str, width: str, precision: str, letter: str) -> str:
    """One element as printf spells it."""
    field = f"%{flags}{width}"
    match letter:
        case "d" | "i" | "u" | "o" | "x" | "X":
            return (field + precision + ("d" if letter in "iu" else letter)) % _whole(number)
        case "c":
            return (field + "c") % chr(_whole(number) & 0xFF)
        case "a" | "A":
            text = float(number).hex()
            return (field + "s") % (text.upper() if letter == "A" else text)
        case "p":
            return (field + "s") % (hex(_whole(number)) if number else _NO_POINTER)
        case "s" | "S":
            return (field + "s") % number
        case "n":
            return ""
        case _:
            return (field + precision + letter) % number


def _whole(number: float | int) -> int:
    return int(number) if isinstance(number, int) or math.isfinite(number) else 0


def _nested(texts: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return texts[0]
    size = len(texts) // shape[0]
    return "[" + ", ".join(_nested(texts[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])) + "]"


def formatted(text: str, tiles: list[tuple[Array, object]]) -> str:
    """The text with each conversion replaced by a tile."""
    operands = iter(tiles)

    def replace(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        values, element = next(operands)
        numbers = _number(values, element, match[5])
        return _nested([_spell(n, match[2], match[3], match[4], match[5]) for n in numbers], values.shape)

    return _CONVERSION.sub(replace, text)


def _operand(w: TileBlock, value: Value) -> tuple[Array, object]:
    return w.tile(value), tile_type(value).element


def _print(w: TileBlock, op: Print) -> None:
    w.launch.write(formatted(op.format, [_operand(w, v) for v in op.arguments]))
    for result in op.result_token:
        w.values[result] = w.token(op.token) or Token()


def handlers() -> Entries:
    """Handlers of this file by operation."""
    return dict((handler(Print, _print),))
