"""Numbers as bit patterns, against NumPy's types and those of ml_dtypes."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest

from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.numbers import NumberError, float_bits, float_value, integer_bits, spell_number

FLOATS: list[tuple[t.ElementType, Any]] = [
    (t.F16, np.float16),
    (t.BF16, ml_dtypes.bfloat16),
    (t.F8E4M3FN, ml_dtypes.float8_e4m3fn),
    (t.F8E5M2, ml_dtypes.float8_e5m2),
    (t.F8E8M0FNU, ml_dtypes.float8_e8m0fnu),
]


@pytest.mark.parametrize(("element", "dtype"), FLOATS, ids=[str(e) for e, _ in FLOATS])
def test_patterns_of_floats_are_those_of_numpy(element: t.ElementType, dtype: Any) -> None:
    patterns = np.arange(1 << element.bits, dtype=f"u{element.bits // 8}")
    with np.errstate(invalid="ignore"):
        numbers = patterns.view(dtype).astype(np.float64)
    step = 1 if element.bits == 8 else 7
    for bits, number in list(zip(patterns.tolist(), numbers.tolist(), strict=True))[::step]:
        found = float_value(bits, element)
        assert found == number or (np.isnan(found) and np.isnan(number)), hex(bits)
        if np.isfinite(number):
            assert float_bits(number, element) == bits


@pytest.mark.parametrize("element", [t.I8, t.I16, t.I32, t.I64], ids=str)
def test_integers_fit_as_signed_or_unsigned_numbers(element: t.ElementType) -> None:
    least, top = -(1 << (element.bits - 1)), (1 << element.bits) - 1
    assert [integer_bits(v, element) for v in (least, -1, 0, top)] == [-least, top, 0, top]
    for wrong in (least - 1, top + 1):
        with pytest.raises(NumberError, match="does not fit"):
            integer_bits(wrong, element)


@pytest.mark.parametrize("number", [1.0, 0.1, 1 / 3, 123456.75, 1e-40, 3e38])
def test_numbers_are_spelled_with_the_digits_that_they_need(number: float) -> None:
    for element, dtype in ((t.F32, np.float32), (t.F64, np.float64)):
        stored = float(dtype(number))
        assert float_bits(float(spell_number(float_bits(stored, element), element)), element) == float_bits(
            stored, element
        )
