"""What complex products, quotients and exponentials mean, on NumPy arrays (language reference 1.7 and 1.9).

NumPy's own are not used: they may contract products, and their results at infinities differ between its versions and
from those of the targets.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tilewright.numerics.later import Array, np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def multiply(a: Array, b: Array) -> Array:
    """The textbook formula in the type of the operands, without contraction."""
    (a_re, a_im), (b_re, b_im) = _parts(a), _parts(b)
    return _together(a_re * b_re - a_im * b_im, a_re * b_im + a_im * b_re, a.dtype)


def divide(a: Array, b: Array) -> Array:
    """`a conj(b) / |b|^2`, scaled so that nothing overflows before the result does.

    x/0 divides both parts by zero as for reals; a finite number over infinity is zero.
    """
    a_exponent, b_exponent = _exponent(a), _exponent(b)
    infinite = np.isinf(b)
    x_re, x_im = (np.ldexp(part, -a_exponent) for part in _wide_parts(a))
    y_re, y_im = (
        np.where(infinite & ~np.isnan(part), np.copysign(np.isinf(part), part), np.ldexp(part, -b_exponent))
        for part in _wide_parts(b)
    )
    norm = y_re * y_re + y_im * y_im
    real = np.where(norm == 0, x_re, x_re * y_re + x_im * y_im) / norm
    imaginary = np.where(norm == 0, x_im, x_im * y_re - x_re * y_im) / norm
    kept = np.where(infinite, np.longdouble(0), np.longdouble(1))
    shift = a_exponent - b_exponent
    return _together(np.ldexp(real * kept, shift), np.ldexp(imaginary * kept, shift), a.dtype)


def multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a b + c` in a longer type, rounded at the end."""
    x, y, z = (values.astype(np.clongdouble) for values in (a, b, c))
    return (x * y + z).astype(a.dtype)


def exponential(base: Callable[[Array], Array], logarithm: Array | float, a: Array) -> Array:
    """`base(re) (cos t + i sin t)` for `t = im logarithm`; a real argument gives a real result."""
    real, imaginary = _wide_parts(a)
    radius, angle = base(real), imaginary * logarithm
    return _together(radius * np.cos(angle), np.where(imaginary == 0, imaginary, radius * np.sin(angle)), a.dtype)


def _parts(a: Array) -> tuple[Array, Array]:
    return np.asarray(np.real(a)), np.asarray(np.imag(a))


def _wide_parts(a: Array) -> tuple[Array, Array]:
    real, imaginary = _parts(a)
    return real.astype(np.longdouble), imaginary.astype(np.longdouble)


def _exponent(a: Array) -> NDArray[np.int32]:
    """The binary exponent of the larger part, 0 where there is none."""
    largest = np.fmax(*(np.abs(part) for part in _parts(a)))
    return np.frexp(np.where(np.isfinite(largest), largest, np.zeros_like(largest)))[1]


def _together(real: Array, imaginary: Array, dtype: np.dtype[Any]) -> Array:
    out = np.empty(np.broadcast(real, imaginary).shape, dtype)
    out.real, out.imag = real, imaginary
    return out
