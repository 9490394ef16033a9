"""printf over tiles, against Python's own formats and the width of integers."""

from __future__ import annotations

import pytest

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
