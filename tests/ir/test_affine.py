"""Affine expressions as they are made: what is known of them is settled there."""

from __future__ import annotations

import pytest

from tilewright.ir.affine import AffineConstant, AffineExpression, AffineOperator, Dimension, add, divide, multiply

FLOORDIV, CEILDIV, MOD = AffineOperator.FLOORDIV, AffineOperator.CEILDIV, AffineOperator.MOD


@pytest.mark.parametrize("operator", [FLOORDIV, CEILDIV, MOD])
@pytest.mark.parametrize(
    ("added", "divisor", "is_whole"), [(16, 8, True), (-24, 8, True), (12, 8, False), (4, 8, False)], ids=str
)
def test_a_multiple_of_the_divisor_leaves_the_quotient(
    operator: AffineOperator, added: int, divisor: int, is_whole: bool
) -> None:
    """(d0 + 16) floordiv 8 is d0 floordiv 8 + 2, and (d0 + 16) mod 8 is d0 mod 8."""
    plain = divide(operator, Dimension(0), AffineConstant(divisor))
    found = divide(operator, add(Dimension(0), AffineConstant(added)), AffineConstant(divisor))
    if is_whole:
        assert found == (plain if operator is MOD else add(plain, AffineConstant(added // divisor)))
    else:
        assert str(added) in str(found)
        assert str(found) != str(plain)


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (multiply(AffineConstant(1 << 62), AffineConstant(1 << 62)), 0),
        (multiply(AffineConstant(1 << 62), AffineConstant(2)), -(1 << 63)),
        (add(AffineConstant((1 << 63) - 1), AffineConstant(2)), -(1 << 63) + 1),
        (add(AffineConstant(-(1 << 63)), AffineConstant((1 << 63) - 1)), -1),
    ],
)
def test_numbers_wrap_around_as_indices_do(found: AffineExpression, wanted: int) -> None:
    assert found == AffineConstant(wanted)
