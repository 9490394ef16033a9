"""printf over tiles, against the C library and the width of integers."""

from __future__ import annotations

import ctypes
import math
import random

import pytest

from effort import SEED
from tilewright.dialects.printf import Printed, failed_assertion, formatted


@pytest.mark.parametrize("bits", [8, 32, 64])
@pytest.mark.parametrize(
    ("letter", "spell"), [("x", "{:x}"), ("X", "{:X}"), ("o", "{:o}"), ("u", "{}"), ("p", "0x{:x}")]
)
def test_negative_numbers_have_no_sign_in_unsigned_conversions(letter: str, spell: str, bits: int) -> None:
    assert formatted(f"%{letter}", [Printed([-3], (), bits)]) == spell.format(2**bits - 3)


@pytest.mark.parametrize("letter", ["d", "i"])
def test_signed_conversions_keep_the_sign(letter: str) -> None:
    assert formatted(f"<%4{letter}>", [Printed([-3], (), 32)]) == "<  -3>"


FLOATS = (0.0, -0.0, 1.0, -1.5, 2.5, 0.1, 1.03125, 1.09375, 15.96875, -1e-7, 6.02e23, math.inf, -math.inf, math.nan)
INTEGERS = (0, 0, 1, -1, 7, -300, 65535, 2**31 - 1, -(2**31))


def test_numbers_are_spelled_as_the_c_library_does() -> None:
    snprintf, room, draw = ctypes.CDLL(None).snprintf, ctypes.create_string_buffer(100), random.Random(SEED)
    for _ in range(5000):
        flags = "".join(flag for flag in "-+ #0" if draw.random() < 0.3)
        letter = draw.choice("diuoxXeEfFgGaA")
        width, precision = draw.choice(("", "1", "5", "12", "25")), draw.choice(("", "", ".", ".0", ".1", ".3", ".9"))
        text = f"<%{flags}{width}{precision}{letter}>"
        if letter in "diuoxX":
            number: float = draw.choice(INTEGERS)
            snprintf(room, len(room), text.encode(), ctypes.c_int(int(number)))
        else:
            number = draw.choice(FLOATS)
            snprintf(room, len(room), text.encode(), ctypes.c_double(number))
        assert formatted(text, [Printed([number], (), 32)]) == room.value.decode(), (text, number)


def test_tiles_are_nested_lists() -> None:
    assert (
        formatted("%d and %.1f", [Printed([1, 2, 3, 4], (2, 2)), Printed([0.5], (1,))]) == "[[1, 2], [3, 4]] and [0.5]"
    )
    assert formatted("%d, %d", [Printed([], (2, 0)), Printed([], (0, 2))]) == "[[], []], []"


def test_of_many_failed_positions_the_first_are_told() -> None:
    few, many = [[k] for k in range(8)], [[k, 0] for k in range(11)]
    assert failed_assertion("no", few, (0, 1, 2)) == "no at [0], [1], [2], [3], [4], [5], [6], [7] (tile block 0, 1, 2)"
    told = ", ".join(f"[{k}, 0]" for k in range(8))
    assert failed_assertion("no", many, (0, 0, 0)) == f"no at {told} and 3 more (tile block 0, 0, 0)"
    assert failed_assertion("no", [[]], (0, 0, 0)) == "no (tile block 0, 0, 0)"
