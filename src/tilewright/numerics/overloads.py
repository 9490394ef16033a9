"""What definitions are written with that Python's operators lack: one name for Python numbers and NumPy arrays."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from tilewright.numerics.later import np

_PLAIN = (bool, int, float)


def is_plain(values: object) -> bool:
    """Whether this is a number of Python's; scalars of NumPy are arrays."""
    return type(values) in _PLAIN


def where(condition: Any, positive: Any, negative: Any) -> Any:
    """The one where the condition holds, else the other."""
    if type(condition) is bool:
        return positive if condition else negative
    choose: Callable[..., Any] = np.where
    return choose(condition, positive, negative)


def larger(a: Any, b: Any) -> Any:
    """The larger one."""
    return max(a, b) if is_plain(a) and is_plain(b) else np.maximum(a, b)


def smaller(a: Any, b: Any) -> Any:
    """The smaller one."""
    return min(a, b) if is_plain(a) and is_plain(b) else np.minimum(a, b)


def frexp(values: Any) -> tuple[Any, Any]:
    """Fractions in [0.5, 1) and powers of two."""
    if is_plain(values):
        return math.frexp(values)
    fraction, power = np.frexp(values)
    return fraction, power.astype("int64")


def ldexp(values: Any, power: Any) -> Any:
    """Products with powers of two."""
    return math.ldexp(values, power) if is_plain(values) else np.ldexp(values, power)


def whole(values: Any) -> Any:
    """The nearest whole numbers, ties to even, still floats."""
    return math.copysign(round(values), values) if is_plain(values) else np.rint(values)


def copysign(size: float, values: Any) -> Any:
    """A number with the signs of others."""
    return math.copysign(size, values) if is_plain(values) else np.copysign(size, values)


def scaled_integer(values: Any, power: int) -> Any:
    """A whole multiple of a power of two, as an integer."""
    return int(math.ldexp(values, power)) if is_plain(values) else np.ldexp(values, power).astype("int64")


def signbit(values: Any) -> Any:
    """Whether the sign is minus, of zeros too."""
    return math.copysign(1.0, values) < 0 if is_plain(values) else np.signbit(values)


def any_of(condition: Any) -> bool:
    """Whether a condition holds anywhere."""
    return condition if type(condition) is bool else bool(condition.any())
