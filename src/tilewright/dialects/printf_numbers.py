"""One number as C's printf spells it.

Python's `%` knows C's flags but differs where C has exceptions: signs in unsigned conversions, `0x` in front of zero,
`#o`, zeros in front of what has a precision or is infinite, precision 0 of zero, and `%a`, of which C leaves out zeros
at the end. The sign of NaN is not told.
"""

from __future__ import annotations

import math
from typing import Final

_DIGITS: Final = {"o": "o", "x": "x", "X": "X"}


def integer(value: int, flags: str, width: int, precision: str, letter: str) -> str:
    """A number of `d i u o x X`; unsigned ones are not negative. `precision` is "" or begins with the point."""
    digits = format(abs(value), _DIGITS.get(letter, "d"))
    if precision:
        least = _places(precision)
        digits = "" if not value and not least else digits.rjust(least, "0")
    prefix = "-" if value < 0 else _plus(flags) if letter in "di" else ""
    if "#" in flags and letter == "o" and not digits.startswith("0"):
        digits = "0" + digits
    elif "#" in flags and letter in "xX" and value:
        prefix += "0" + letter
    return _padded(prefix, digits, flags, width, zeros=not precision)


def floating(value: float, flags: str, width: int, precision: str, letter: str) -> str:
    """A number of `e f g a` and their capitals."""
    prefix = "-" if math.copysign(1.0, value) < 0 and not math.isnan(value) else _plus(flags)
    if not math.isfinite(value):
        digits = f"{abs(value)}"
    elif letter in "aA":
        prefix, digits = prefix + "0x", _hexadecimal(abs(value), precision, "#" in flags)
    else:
        digits = f"%{'#' if '#' in flags else ''}{precision}{letter}" % abs(value)
    if letter.isupper():
        prefix, digits = prefix.upper(), digits.upper()
    return _padded(prefix, digits, flags, width, zeros=math.isfinite(value))


def _places(precision: str) -> int:
    return int(precision[1:] or 0)


def _plus(flags: str) -> str:
    return "+" if "+" in flags else " " if " " in flags else ""


def _padded(prefix: str, digits: str, flags: str, width: int, zeros: bool) -> str:
    """To a width: on the left, but for the flag `-`; by zeros behind the prefix if asked and allowed."""
    missing = width - len(prefix)
    if "-" in flags:
        return prefix + digits.ljust(missing)
    if "0" in flags and zeros:
        return prefix + digits.rjust(missing, "0")
    return (prefix + digits).rjust(width)


def _hexadecimal(value: float, precision: str, point: bool) -> str:
    """`1.8p+0`; a precision rounds to even."""
    mantissa, _, exponent = value.hex()[2:].partition("p")
    whole, _, fraction = mantissa.partition(".")
    if not precision:
        fraction = fraction.rstrip("0")
    elif (places := _places(precision)) >= len(fraction):
        fraction = fraction.ljust(places, "0")
    else:
        unit = 16 ** (len(fraction) - places)
        kept, rest = divmod(int(whole + fraction, 16), unit)
        kept += 2 * rest > unit or (2 * rest == unit and kept % 2)
        digits = f"{kept:0{places + 1}x}"
        whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    return f"{whole}{'.' if fraction or point else ''}{fraction}p{exponent}"
