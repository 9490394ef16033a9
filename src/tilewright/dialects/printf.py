"""C's printf over whole tiles, which are nested lists.

Where the type of an operand does not match its conversion, integers are converted to floats and floats truncated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects.printf_numbers import floating, integer

_CONVERSION: Final = re.compile(r"%(%|([-+ #0]*)(\d*)((?:\.\d*)?)[^%diuoxXeEfFgGaAcsSpn]*([diuoxXeEfFgGaAcsSpn]))")
_NO_POINTER: Final = "0x0"
_PLACES: Final = 8


class Printed(Struct, frozen=True):
    """Elements of a tile, last dimension fastest; `bits` is the width as which negative ones are read without sign."""

    numbers: Sequence[float | int]
    shape: tuple[int, ...]
    bits: int = 0

    def read(self, letter: str) -> Sequence[float | int]:
        """The numbers as a conversion reads them."""
        if not self.bits or letter not in "uoxXp":
            return self.numbers
        mask = (1 << self.bits) - 1
        return [n & mask if isinstance(n, int) else n for n in self.numbers]

    @property
    def zeros(self) -> list[list[int]]:
        """The positions of the elements that are zero."""
        found: list[list[int]] = []
        for number, held in enumerate(self.numbers):
            if not held:
                position, rest = list[int](), number
                for extent in reversed(self.shape):
                    position.insert(0, rest % extent)
                    rest //= extent
                found.append(position)
        return found


def _spell(number: float | int, flags: str, width: str, precision: str, letter: str) -> str:
    """One element as printf spells it."""
    least = int(width or 0)
    match letter:
        case "d" | "i" | "u" | "o" | "x" | "X":
            return integer(_whole(number), flags, least, precision, letter)
        case "c":
            text = chr(_whole(number) & 0xFF)
        case "p":
            text = hex(_whole(number)) if number else _NO_POINTER
        case "s" | "S":
            text = str(number)
        case "n":
            return ""
        case _:
            return floating(float(number), flags, least, precision, letter)
    return text.ljust(least) if "-" in flags else text.rjust(least)


def _whole(number: float | int) -> int:
    return int(number) if isinstance(number, int) or math.isfinite(number) else 0


def _nested(texts: list[str], shape: tuple[int, ...]) -> str:
    if not shape:
        return texts[0]
    size = math.prod(shape[1:])
    return "[" + ", ".join(_nested(texts[k * size : (k + 1) * size], shape[1:]) for k in range(shape[0])) + "]"


def formatted(text: str, tiles: Sequence[Printed]) -> str:
    """The text with each conversion replaced by a tile."""
    operands = iter(tiles)

    def replace(match: re.Match[str]) -> str:
        if match[1] == "%":
            return "%"
        tile = next(operands)
        numbers = tile.read(match[5])
        return _nested([_spell(n, match[2], match[3], match[4], match[5]) for n in numbers], tile.shape)

    return _CONVERSION.sub(replace, text)


def failed_assertion(message: str, positions: Sequence[Sequence[int]], block: Sequence[int]) -> str:
    """What an assertion says that does not hold at some positions (of rank 0: at the only one)."""
    places = ", ".join("[" + ", ".join(map(str, p)) + "]" for p in positions[:_PLACES])
    more = f" and {len(positions) - _PLACES} more" if len(positions) > _PLACES else ""
    at = f" at {places}{more}" if positions and positions[0] else ""
    return f"{message}{at} (tile block {', '.join(map(str, block))})"
