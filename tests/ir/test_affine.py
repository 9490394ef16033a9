"""Affine expressions as they are made: what is known of them is settled there."""

from __future__ import annotations

import pytest

from tilewright.ir.affine import AffineConstant, AffineOperator, Dimension, add, divide

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
