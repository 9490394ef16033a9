"""Derive the polynomial coefficients and tables of src/tilewright/targets/llvm (needs mpmath, for developers only).

    python scripts/derive_math_coefficients.py > src/tilewright/targets/llvm/coefficients.py
    python scripts/derive_math_coefficients.py logarithms > src/tilewright/targets/llvm/log_tables.py

Then `ruff format`, which gives each number a line.

Remez exchange in 60 digits for the weighted error `weight(x) (p(x) - f(x))`, where p has all its coefficients free.
The results are rounded to f32 or f64 one by one; each table states the error bound that the unrounded polynomial
reaches.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import mpmath as mp
import numpy as np

Real = Callable[[mp.mpf], mp.mpf]


@dataclass(frozen=True)
class Approximation:
    """A function on an interval, approximated by a polynomial with `terms` coefficients."""

    name: str
    meaning: str
    function: Real
    weight: Real
    low: mp.mpf
    high: mp.mpf


def remez(target: Approximation, terms: int, rounds: int = 12) -> tuple[list[mp.mpf], mp.mpf]:
    """Coefficients from the lowest power, and the largest weighted error."""
    middle, radius = (target.low + target.high) / 2, (target.high - target.low) / 2
    points = [middle + radius * mp.cos(mp.pi * k / terms) for k in range(terms, -1, -1)]
    grid = [middle + radius * mp.cos(mp.pi * mp.mpf(k) / 1500) for k in range(1500, -1, -1)]
    values = [(x, target.function(x), target.weight(x)) for x in grid]
    coefficients: list[mp.mpf] = []
    for _ in range(rounds):
        system = mp.matrix(terms + 1, terms + 1)
        right = mp.matrix(terms + 1, 1)
        for row, x in enumerate(points):
            for column in range(terms):
                system[row, column] = x**column
            system[row, terms] = (-1) ** row / target.weight(x)
            right[row] = target.function(x)
        solution = mp.lu_solve(system, right)
        coefficients = [solution[k] for k in range(terms)]
        errors = [w * (mp.polyval(coefficients[::-1], x) - f) for x, f, w in values]
        points = alternation(grid, errors, terms + 1)
    return coefficients, max(abs(e) for e in errors)


def alternation(grid: list[mp.mpf], errors: list[mp.mpf], count: int) -> list[mp.mpf]:
    """The points of largest error, one for each run of equal sign; surplus runs are dropped at the weaker end."""
    runs: list[tuple[mp.mpf, mp.mpf]] = []
    for x, error in zip(grid, errors, strict=True):
        if runs and (runs[-1][1] > 0) == (error > 0):
            if abs(error) > abs(runs[-1][1]):
                runs[-1] = (x, error)
        else:
            runs.append((x, error))
    while len(runs) > count:
        runs.pop(0 if abs(runs[0][1]) < abs(runs[-1][1]) else -1)
    return [x for x, _ in runs]


def series(function: Real, limit: Real) -> Real:
    """A function whose formula cancels near zero, continued there by its limit."""
    return lambda x: limit(x) if abs(x) < mp.mpf(10) ** -12 else function(x)


def tail_of_odd(
    name: str, meaning: str, function: Real, powers: tuple[mp.mpf, mp.mpf, mp.mpf], most: mp.mpf
) -> Approximation:
    """(f(x)/x - c) / z of an odd function f, by z = x^2 up to `most`.

    `powers` has the first three coefficients of f(x)/x in powers of z, the first of which is c.
    """
    first, second, third = powers
    return Approximation(
        name,
        meaning,
        series(lambda z: (function(mp.sqrt(z)) / mp.sqrt(z) - first) / z, lambda z: second + third * z),
        lambda z: z + mp.mpf(10) ** -4,
        mp.mpf(0),
        most,
    )


def approximations() -> list[tuple[Approximation, dict[str, int]]]:
    """What is needed, with the number of terms for f32 and f64."""
    one = mp.mpf(1)
    half_ln2 = mp.log(2) / 2 * mp.mpf("1.0001")
    quarter = (mp.pi / 4) ** 2 * mp.mpf("1.0002")
    s_max = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")
    exp = Approximation(
        "EXP",
        "(exp(r) - 1 - r) / r^2 on |r| <= ln(2)/2",
        series(lambda r: (mp.exp(r) - 1 - r) / r**2, lambda r: one / 2 + r / 6),
        lambda r: r**2 + mp.mpf(10) ** -6,
        -half_ln2,
        half_ln2,
    )
    cos = Approximation(
        "COS",
        "(cos(r) - 1 + z/2) / z^2 with z = r^2, |r| <= pi/4",
        series(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, lambda z: one / 24 - z / 720),
        lambda z: z**2 + mp.mpf(10) ** -6,
        mp.mpf(0),
        quarter,
    )
    log_meaning = "(log((1+s)/(1-s))/s - 2) / z with z = s^2 and (1+s)/(1-s) in [sqrt(1/2), sqrt(2)]"
    log = tail_of_odd("LOG", log_meaning, lambda s: 2 * mp.atanh(s), (2 * one, 2 * one / 3, 2 * one / 5), s_max)
    sin = tail_of_odd(
        "SIN", "(sin(r)/r - 1) / z with z = r^2, |r| <= pi/4", mp.sin, (one, -one / 6, one / 120), quarter
    )
    tan = tail_of_odd(
        "TAN", "(tan(r)/r - 1) / z with z = r^2, |r| <= pi/4", mp.tan, (one, one / 3, 2 * one / 15), quarter
    )
    sinh = tail_of_odd("SINH", "(sinh(x)/x - 1) / z with z = x^2, |x| <= 1", mp.sinh, (one, one / 6, one / 120), one)
    atan = tail_of_odd("ATAN", "(atan(x)/x - 1) / z with z = x^2, |x| <= 1", mp.atan, (one, -one / 3, one / 5), one)
    return [
        (exp, {"f32": 5, "f64": 10}),
        (log, {"f32": 4, "f64": 7}),
        (sin, {"f32": 3, "f64": 6}),
        (cos, {"f32": 3, "f64": 6}),
        (tan, {"f32": 7, "f64": 14}),
        (tail_of_tanh(0.35), {"f32": 4}),
        (sinh, {"f32": 4, "f64": 7}),
        (atan, {"f32": 9}),
    ]


def tail_of_tanh(most: float) -> Approximation:
    """What the hyperbolic tangent is less than its argument, near 0."""
    meaning = f"(tanh(x)/x - 1) / z with z = x^2, |x| <= {most}"
    powers = mp.mpf(1), -mp.mpf(1) / 3, 2 * mp.mpf(1) / 15
    return tail_of_odd("TANH", meaning, mp.tanh, powers, mp.mpf(str(most)) ** 2 * mp.mpf("1.0001"))


def pieces_of_tanh() -> tuple[list[list[float]], mp.mpf]:
    """A row for each piece: where it is expanded, then its coefficients as f32, from the lowest power.

    Pieces are those in which the leading bits of `0.5 + 0.8125 x` agree, eight to each power of two below 8. Each is
    expanded about a number near its middle whose hyperbolic tangent happens to be nearly an f32.
    """
    cubic, fifth = remez(tail_of_tanh(0.08), 2)[0]
    rows = [[float(np.float32(float(c))) for c in (0, 0, 1, 0, cubic, 0, fifth)]]
    worst = mp.mpf(0)
    edges = [(mp.ldexp(8 + k % 8, k // 8 - 4) - 0.5) / mp.mpf(0.8125) for k in range(33)]
    for low, high in pairwise(edges[1:]):
        center = _nearly_exact(mp.tanh, (low + high) / 2, (high - low) / 64)
        coefficients, error = remez(_tanh_around(center, low, high), 5, rounds=6)
        worst = max(worst, error)
        rows.append([float(np.float32(float(c))) for c in (center, mp.tanh(center), *coefficients)])
    return rows, worst


def _tanh_around(center: mp.mpf, low: mp.mpf, high: mp.mpf) -> Approximation:
    """Slopes of secants from the hyperbolic tangent at a number, by the distance from it."""
    value = mp.tanh(center)
    return Approximation(
        "TANH_PIECE",
        "",
        series(lambda y: (mp.tanh(center + y) - value) / y, lambda _: 1 - value**2),
        lambda y: (abs(y) + mp.mpf(10) ** -6) / mp.tanh(center + y),
        low - center,
        high - center,
    )


def _nearly_exact(function: Real, middle: mp.mpf, within: mp.mpf) -> mp.mpf:
    """An f32 near a number, of which a function is as near to an f32 as anywhere around."""
    found = [mp.mpf(float(np.float32(float(middle + within * k / 200)))) for k in range(-200, 201)]

    def distance(x: mp.mpf) -> mp.mpf:
        y = function(x)
        return abs(y - mp.mpf(float(np.float32(float(y))))) / y

    return min(found, key=distance)


@dataclass(frozen=True)
class LogPieces:
    """How logarithms are computed by pieces in a format of so many significant bits and exponents.

    Significands m from 1 to 2 are in pieces of equal width, each with a reciprocal r, of so few binary places that
    m r - 1 is exact: 1 in the first piece, 1/2 in the last, about one over the middle of others.
    """

    pieces: int
    places: int
    terms: int
    significand: int
    least_exponent: int

    def reciprocals(self) -> list[mp.mpf]:
        """One for each piece, so that m r - 1 is as little beyond what it is in the first and last as can be."""
        choices = [mp.ldexp(k, -self.places) for k in range(2 ** (self.places - 1) + 1, 2**self.places)]
        middle = mp.mpf(1) / (4 * self.pieces)
        inner = (
            min(choices, key=lambda r: max(abs(z - middle) for z in self._ends(k, r)))
            for k in range(1, self.pieces - 1)
        )
        return [mp.mpf(1), *inner, mp.mpf(0.5)]

    def _ends(self, piece: int, r: mp.mpf) -> list[mp.mpf]:
        """m r - 1 at both ends of a piece."""
        return [(1 + mp.mpf(end) / self.pieces) * r - 1 for end in (piece, piece + 1)]

    def series(self) -> Approximation:
        """What the logarithm of 1 + z is but z, over its square."""
        ends = [end for piece, r in enumerate(self.reciprocals()) for end in self._ends(piece, r)]
        low, high = min(ends), max(ends)
        return Approximation(
            "LOG_SERIES",
            f"(log(1 + z)/z - 1) / z on {float(low):.4f} <= z <= {float(high):.4f}",
            series(lambda z: (mp.log1p(z) / z - 1) / z, lambda z: -mp.mpf(1) / 2 + z / 3),
            lambda z: abs(z) + mp.mpf(10) ** -6,
            low,
            high,
        )

    def in_two(self, number: mp.mpf, base: int | mp.mpf) -> tuple[mp.mpf, mp.mpf]:
        """A positive number in two parts: sums of first parts and small multiples of that of log 2 are exact."""
        largest = mp.ceil(mp.log(-self.least_exponent * mp.log(2, base), 2))
        bits = self.significand - int(largest)
        first = mp.ldexp(mp.floor(mp.ldexp(number, bits)), -bits)
        return first, number - first

    def rounded(self, number: mp.mpf) -> float:
        """In the format."""
        return float(np.float32(float(number))) if self.significand == 24 else float(number)


LOG_PIECES = {"F32": LogPieces(32, 6, 3, 24, -150), "F64": LogPieces(16, 5, 9, 53, -1075)}
BASES = {"LOG": mp.e, "LOG2": 2, "LOG10": 10}


def show_log_pieces(dtype: str, form: LogPieces) -> None:
    """The tables of one format."""
    coefficients, error = remez(form.series(), form.terms)
    print(f"# {form.series().meaning}; weighted error 2^{float(mp.log(error, 2)):.1f}")
    show(f"LOG_SERIES_{dtype}", [form.rounded(c) for c in coefficients])
    print(f"# reciprocals of numbers in {form.pieces} pieces of [1, 2]")
    show(f"LOG_RECIPROCALS_{dtype}", [float(r) for r in form.reciprocals()])
    for name, base in BASES.items():
        print(
            f"# {name.lower()} 2 and {name.lower()} e as sums, then {name.lower()} of one over each reciprocal as a sum"
        )
        factor = mp.mpf(1) if base == mp.e else mp.log(mp.e, base)
        parts = [
            *form.in_two(mp.log(2, base), base),
            *split(factor, [form.significand] * 2 if factor != 1 else [1]),
            mp.mpf(0),
        ]
        show(f"{name}_FACTORS_{dtype}", [form.rounded(part) for part in parts[:4]])
        columns = zip(*(form.in_two(-mp.log(r, base), base) for r in form.reciprocals()), strict=True)
        print(f"{name}_PIECES_{dtype} = (")
        for column in columns:
            print(f"    ({', '.join(repr(form.rounded(number)) for number in column)}),")
        print(")\n")


def truncated(number: mp.mpf, bits: int) -> mp.mpf:
    """The number rounded to so many significant bits."""
    shift = bits - 1 - int(mp.floor(mp.log(abs(number), 2)))
    return mp.nint(mp.ldexp(number, shift)) * mp.ldexp(mp.mpf(1), -shift)


def split(number: mp.mpf, widths: list[int]) -> list[float]:
    """A sum of floats with so many bits each; it represents the number to the sum of the widths."""
    parts: list[float] = []
    for bits in widths:
        part = truncated(number, bits)
        parts.append(float(part))
        number -= part
    return parts


def two_over_pi_words(count: int, leading: int) -> list[int]:
    """The binary expansion of 2/pi in 32-bit words, after some words of zeros."""
    with mp.workprec(32 * count + 64):
        bits = int(mp.floor(mp.ldexp(2 / mp.pi, 32 * (count - leading))))
    return [bits >> 32 * (count - 1 - k) & 0xFFFFFFFF for k in range(count)]


def show(name: str, numbers: list[float]) -> None:
    """One table as Python text."""
    print(f"{name} = (")
    for number in numbers:
        print(f"    {number!r},")
    print(")\n")


def show_logarithms() -> None:
    """Print the module of their tables."""
    print('"""Tables of logarithms by pieces: output of scripts/derive_math_coefficients.py logarithms.')
    print('\nPolynomials start with the lowest power.\n"""\n')
    for dtype, form in LOG_PIECES.items():
        show_log_pieces(dtype, form)


def show_coefficients() -> None:
    """Print the module of all else."""
    print('"""Constants of the mathematical functions: output of scripts/derive_math_coefficients.py.')
    print('\nPolynomials start with the lowest power.\n"""\n')
    for target, terms in approximations():
        for dtype, count in terms.items():
            coefficients, error = remez(target, count)
            narrow = [float(np.float32(float(c))) if dtype == "f32" else float(c) for c in coefficients]
            print(f"# {target.meaning}; weighted error 2^{float(mp.log(error, 2)):.1f}")
            show(f"{target.name}_{dtype.upper()}", narrow)
    rows, error = pieces_of_tanh()
    print("# tanh in 32 pieces of 0.5 + 0.8125 x, by their index modulo 32: where each is expanded, then coefficients;")
    print(f"# weighted error 2^{float(mp.log(error, 2)):.1f}")
    print("TANH_PIECES_F32 = (")
    for column in zip(*(rows[16:] + rows[:16]), strict=True):
        print(f"    ({', '.join(map(repr, column))}),")
    print(")\n")
    print("# log10(2) and log10(e) as sums; first parts times small integers, or half of the digits, are exact.")
    show("LOG10_2_F32", split(mp.log10(2), [14, 24]))
    show("LOG10_2_F64", split(mp.log10(2), [32, 53]))
    show("LOG10_E_F32", split(mp.log10(mp.e), [12, 24]))
    show("LOG10_E_F64", split(mp.log10(mp.e), [26, 53]))
    print("# ln(2) and pi/2 as sums; the products of all parts but the last with small integers are exact.")
    show("LN2_F32", split(mp.log(2), [14, 24]))
    show("LN2_F64", split(mp.log(2), [32, 53]))
    show("HALF_PI_F32", split(mp.pi / 2, [12, 12, 12, 24]))
    show("HALF_PI_F64", split(mp.pi / 2, [33, 33, 33, 53]))
    print("# pi/2 as a sum of two numbers of the format.")
    show("HALF_PI_PAIR_F32", split(mp.pi / 2, [24, 24]))
    print("# Two words of zeros, then the fraction bits of 2/pi.")
    print("TWO_OVER_PI = (")
    words = two_over_pi_words(40, 2)
    for start in range(0, 40, 8):
        print("    " + " ".join(f"0x{word:08X}," for word in words[start : start + 8]))
    print(")")


def main(words: list[str]) -> None:
    """Print the module that is asked for."""
    mp.mp.dps = 60
    if words == ["logarithms"]:
        show_logarithms()
    else:
        show_coefficients()


if __name__ == "__main__":
    main(sys.argv[1:])
