"""Mathematical functions: at most 4 ulp everywhere, IEEE special values, native forms of use."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from effort import count, parts
from targets.llvm.elementwise import Jit, Operation, from_float64, random_bits, to_float
from tilewright.targets.llvm.arith import MATH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from targets.llvm.elementwise import Array

REFERENCE: dict[str, np.ufunc] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "log10": np.log10,
}
FUNCTIONS = tuple(REFERENCE)
LOGARITHMS = ("log", "log2", "log10")
BOUND = 4.0

# The f64 and f32 closest to a multiple of pi/2 (Kahan; Muller): the reduction cancels most. Values: mpmath, 400 digits.
HARD_F64 = 6381956970095103.0 * 2.0**797
HARD_F64_COS = -4.6871659242546276e-19
HARD_F32 = 16367173.0 * 2.0**72
HARD_F32_COS = -1.6147697982476211e-09

# Whose tangents are off by more than 3 ulp where the rest is rounded with every part that is subtracted.
HARD_TAN_F32 = (-1772.9183, -265.96664, 218.30933)
HARD_TAN_F64 = (-611.0395264955679, 1.454814023174562e72)

# Of all f32 the only ones whose tanh by tables is off by more than 1 ulp: by 1.0008 and 1.0018.
HARD_TANH = (float.fromhex("0x1.fca02ap-6"), float.fromhex("0x1.fca02cp-6"))


def arguments(rng: np.random.Generator, op: str, dtype: str) -> Array:
    """All exponents, the ranges where something happens, and for sin and cos the neighbours of multiples of pi/2."""
    storage = np.float32 if dtype == "f32" else np.float64
    count = 4000
    limit = 110.0 if dtype == "f32" else 750.0
    parts = [
        random_bits(rng, dtype, count).astype(storage),
        rng.uniform(-limit, limit, count),
        rng.uniform(-1.5 * limit, 1.5 * limit, count),
        rng.uniform(0.5, 2.0, count),
        1 + rng.normal(size=count) * np.exp2(rng.uniform(-30, -1, count)),
        np.exp2(rng.uniform(-40, 40, count)),
    ]
    if op in ("sin", "cos"):
        parts.append(rng.integers(1, 1 << 12, count) * (np.pi / 2))
        parts.append(rng.integers(1, 1 << 26, count) * (np.pi / 2))
    if op in LOGARITHMS:
        parts.append(np.finfo(storage).smallest_subnormal * rng.integers(1, 1 << 20, count))
    return np.concatenate([np.asarray(part).astype(storage) for part in parts])


def ulp_errors(got: Array, want: Array) -> Array:
    """Distance in units of the last place of the wanted number; infinite where only one is NaN or infinite."""
    info = np.finfo(np.float32 if got.dtype == np.float32 else np.float64)
    with np.errstate(all="ignore"):
        rounded = want.astype(got.dtype)
        exponent = np.maximum(np.frexp(np.where(np.isfinite(want), want, np.longdouble(1)))[1] - 1, info.minexp)
        unit = np.ldexp(np.longdouble(1), exponent - info.nmant)
        errors = np.abs(got.astype(np.longdouble) - want) / unit
    same = (got == rounded) | (np.isnan(got) & np.isnan(rounded))
    return np.where(same, 0, np.where(np.isnan(errors), np.inf, errors))


def expect_accurate(op: str, x: Array, got: Array, bound: float = BOUND) -> None:
    with np.errstate(all="ignore"):
        want = REFERENCE[op](x.astype(np.longdouble))
    errors = ulp_errors(got, want)
    worst = int(errors.argmax())
    assert errors[worst] <= bound, f"{op}({x[worst]!r}) = {got[worst]!r}, off by {errors[worst]} ulp"


@pytest.mark.covering(2)
@pytest.mark.parametrize("machine", ["host", "generic"])
@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_accuracy(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int, machine: str) -> None:
    jobs = [Operation(op, dtype) for op in FUNCTIONS]
    run = jit.elementwise(jobs, lanes, machine)
    for job in jobs:
        x = arguments(rng, job.op, dtype)
        expect_accurate(job.op, x, run(job, x))


@pytest.mark.parametrize("op", FUNCTIONS)
def test_all_exponents_of_f32(jit: Jit, rng: np.random.Generator, op: str) -> None:
    """A dense walk over the whole format: every 16411th bit pattern from a random start."""
    x = np.arange(rng.integers(0, 16411), 1 << 32, 16411, dtype=np.uint64).astype(np.uint32).view(np.float32)
    job = Operation(op, "f32")
    expect_accurate(op, x, jit.elementwise([job], 16, "host")(job, x))


PARTS = parts(10)
"""Of dense walks over all f32, each with every so many-th number."""


def tangents(rng: np.random.Generator, storage: type[np.float32 | np.float64], part: int) -> Array:
    """A dense walk over all f32 (all parts of `--thorough` have all but the last two bits), the curve, and the ends."""
    step = count("RANDOM_TANH_STEP", 30011, 4)
    first = int(rng.integers(0, step)) + step * part
    bits = np.arange(first, 1 << 32, step * len(PARTS), dtype=np.uint64)
    dense: Array = bits.astype(np.uint32).view(np.float32)
    curved = np.exp2(rng.uniform(-8, 5, 100_000)) * rng.choice([-1.0, 1.0], 100_000)
    smallest, largest = np.finfo(storage).smallest_subnormal, np.finfo(storage).max
    ends = np.array([0.0, -0.0, np.inf, -np.inf, smallest, largest, np.nan, *HARD_TANH], dtype=storage)
    with np.errstate(all="ignore"):
        return np.concatenate([dense.astype(storage), curved.astype(storage), ends])


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("machine", ["host", "generic"])
@pytest.mark.parametrize(("dtype", "bound"), [("f32", 1.6), ("f64", 3.0)])
def test_tanh(jit: Jit, rng: np.random.Generator, dtype: str, bound: float, machine: str, part: int) -> None:
    """Closer than the other functions, in f32 too, where it is not computed in f64; with the sign of its argument."""
    if dtype == "f32" and jit.features[machine].tables:
        bound = 1.002
    x = tangents(rng, np.float32 if dtype == "f32" else np.float64, part)
    job = Operation("tanh", dtype)
    run = jit.elementwise([job], 16, machine)
    for some in np.array_split(x, max(1, x.size >> 22)):
        got = run(job, some)
        with np.errstate(all="ignore"):
            want = np.tanh(some.astype(np.longdouble if dtype == "f64" else np.float64))
        assert ulp_errors(got, want).max() <= bound
        np.testing.assert_array_equal(np.signbit(got[~np.isnan(some)]), np.signbit(some[~np.isnan(some)]))


# Functions that processors compute in the format of their arguments: names, NumPy's, and how many ulp each may be off.
OWN: dict[str, tuple[np.ufunc, float]] = {
    "log1p": (np.log1p, 1.5),
    "expm1": (np.expm1, 1.5),
    "sinh": (np.sinh, 1.7),
    "cosh": (np.cosh, 1.7),
    "tan": (np.tan, 3.0),
}


def doubles(rng: np.random.Generator) -> Array:
    """Any, those where exponentials are finite, those near zero, and the neighbours of multiples of pi/2."""
    size = count("RANDOM_DOUBLES", 5_000, 500_000)
    parts = [
        random_bits(rng, "f64", size),
        rng.uniform(-745, 712, size),
        rng.uniform(-3, 3, size),
        rng.uniform(-1, 1, size) * np.exp2(rng.uniform(-60, 0, size)),
        rng.integers(1, 1 << 26, size) * (np.pi / 2),
        HARD_TAN_F64,
    ]
    return np.concatenate(parts)


def singles(rng: np.random.Generator) -> Array:
    """A dense walk over all f32, and the same ranges."""
    step, size = count("RANDOM_SINGLES_STEP", 120011, 401), 10_000
    dense = np.arange(rng.integers(0, step), 1 << 32, step, dtype=np.uint64).astype(np.uint32).view(np.float32)
    parts = [
        rng.uniform(-92, 92, size),
        rng.uniform(-3, 3, size),
        rng.integers(1, 1 << 13, size) * (np.pi / 2),
        HARD_TAN_F32,
    ]
    return np.concatenate([dense, *(np.asarray(part, np.float32) for part in parts)])


def with_ends(x: Array) -> Array:
    """Zeros, infinities, NaN, the smallest and largest numbers and one of the middle are tried too."""
    info = np.finfo(x.dtype)
    numbers = (0.0, info.smallest_subnormal, info.smallest_normal, 1.0, info.max, np.inf, np.nan)
    return np.concatenate([x, np.array([sign * number for number in numbers for sign in (1, -1)], dtype=x.dtype)])


@pytest.mark.parametrize("machine", ["host", "avx2", "generic", "device"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_functions_in_their_own_format(jit: Jit, rng: np.random.Generator, dtype: str, machine: str) -> None:
    jobs = [Operation(op, dtype) for op in OWN]
    run = jit.elementwise(jobs, 16, machine)
    x = with_ends(singles(rng) if dtype == "f32" else doubles(rng))
    for job in jobs:
        function, bound = OWN[job.op]
        if machine == "device" and dtype == "f32":  # computed in f64
            bound = 1.0
        elif machine == "device" and job.op != "tan":  # of exponentials and logarithms
            bound = BOUND
        got = run(job, x)
        with np.errstate(all="ignore"):
            want = function(x.astype(np.float64 if dtype == "f32" else np.longdouble))
        errors = ulp_errors(got, want)
        worst = int(errors.argmax())
        assert errors[worst] <= bound, f"{job.op}({x[worst]!r}) = {got[worst]!r}, off by {errors[worst]} ulp"
        ordered = ~np.isnan(want)
        np.testing.assert_array_equal(np.signbit(got[ordered]), np.signbit(want[ordered]), err_msg=job.op)


@pytest.mark.parametrize("machine", ["host", "generic", "device"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_large_angles(jit: Jit, rng: np.random.Generator, dtype: str, machine: str) -> None:
    """What is left of them when whole turns are taken away is rounded once: no further off than small ones."""
    some = np.abs(random_bits(rng, dtype, 20_000).view(np.float32 if dtype == "f32" else np.float64))
    x = some[np.isfinite(some) & (some > (5e3 if dtype == "f32" else 2e6))]
    jobs = [Operation(op, dtype) for op in ("sin", "cos", "tan")]
    run = jit.elementwise(jobs, 16, machine)
    for job, function, bound in zip(jobs, (np.sin, np.cos, np.tan), (1.8, 1.8, 3.0), strict=True):
        errors = ulp_errors(run(job, x), function(x.astype(np.longdouble)))
        worst = int(errors.argmax())
        assert errors[worst] <= bound, f"{job.op}({x[worst]!r}) is off by {errors[worst]} ulp"


@pytest.mark.parametrize("machine", ["host", "avx2", "generic"])
def test_angles_of_f32(jit: Jit, rng: np.random.Generator, machine: str) -> None:
    """All pairs of special numbers, any numbers, and those whose quotient is no power of two."""
    size = count("RANDOM_ANGLES", 20_000, 1_000_000)
    ends = with_ends(np.zeros(0, np.float32))
    some = random_bits(rng, "f32", size).view(np.float32)
    y = np.concatenate([np.repeat(ends, ends.size), some, some])
    with np.errstate(all="ignore"):
        near = some * rng.uniform(-4, 4, size).astype(np.float32)
        x = np.concatenate([np.tile(ends, ends.size), rng.permutation(some), near])
        want = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    job = Operation("atan2", "f32")
    got = jit.elementwise([job], 16, machine)(job, y, x)
    errors = ulp_errors(got, want)
    worst = int(errors.argmax())
    assert errors[worst] <= 1.6, f"atan2({y[worst]!r}, {x[worst]!r}) = {got[worst]!r}, off by {errors[worst]} ulp"
    np.testing.assert_array_equal(np.signbit(got[~np.isnan(want)]), np.signbit(want[~np.isnan(want)]))


def positive_floats(rng: np.random.Generator, part: int) -> Iterator[Array]:
    """A dense walk over all f32 from 0 to infinity, some at a time; all parts of `--thorough` have all but two bits."""
    step, most = count("RANDOM_LOGARITHMS_STEP", 30011, 4), 1 << 22
    first, step = int(rng.integers(0, step)) + step * part, step * len(PARTS)
    for start in range(first, (255 << 23) + 1, step * most):
        bits = np.arange(start, min(start + step * most, (255 << 23) + 1), step, dtype=np.uint32)
        yield bits.view(np.float32)


def positive_doubles(rng: np.random.Generator) -> Iterator[Array]:
    """Any, subnormal ones, and those near 1, where logarithms vanish."""
    size = count("RANDOM_LOGARITHMS", 20_000, 2_000_000) // len(PARTS)
    yield rng.integers(0, 2047 << 52, size).view(np.float64)
    yield np.exp2(rng.uniform(-1074, -1000, size))
    yield rng.uniform(0.5, 2.0, size)
    yield 1 + rng.normal(size=size) * np.exp2(rng.uniform(-53, -3, size))


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("machine", ["host", "generic"])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_logarithms(jit: Jit, rng: np.random.Generator, dtype: str, machine: str, part: int) -> None:
    """Closer than other functions, but log2 where there are no pieces: it is a product there, rounded twice."""
    jobs = [Operation(op, dtype) for op in LOGARITHMS]
    run = jit.elementwise(jobs, 16, machine)
    for x in positive_floats(rng, part) if dtype == "f32" else positive_doubles(rng):
        for job in jobs:
            with np.errstate(divide="ignore"):
                want = REFERENCE[job.op](x.astype(np.float64 if dtype == "f32" else np.longdouble))
            bound = 2.5 if job.op == "log2" and not jit.features[machine].tables else 1.0
            errors = ulp_errors(run(job, x), want)
            worst = int(errors.argmax())
            assert errors[worst] <= bound, f"{job.op}({x[worst]!r}) is off by {errors[worst]} ulp"


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("machine", ["host", "generic"])
def test_powers_of_ten_have_exact_logarithms(jit: Jit, lanes: int, machine: str) -> None:
    for dtype, storage, most in (("f32", np.float32, 10), ("f64", np.float64, 22)):
        job, exponents = Operation("log10", dtype), np.arange(most + 1)
        powers = np.array([10**k for k in range(most + 1)]).astype(storage)
        np.testing.assert_array_equal(jit.elementwise([job], lanes, machine)(job, powers), exponents)


@pytest.mark.parametrize("lanes", [1, 2, 8, 24, 32, 48])
@pytest.mark.parametrize(("op", "dtype"), [("tanh", "f32"), ("log1p", "f32"), ("log", "f64")])
def test_pieces_are_the_same_in_each_lane(jit: Jit, rng: np.random.Generator, op: str, dtype: str, lanes: int) -> None:
    x = np.abs(rng.standard_normal(48 * 40)).astype(np.float32 if dtype == "f32" else np.float64)
    job = Operation(op, dtype)
    found, whole = (jit.elementwise([job], width, "host")(job, x) for width in (lanes, 16))
    np.testing.assert_array_equal(found.view(np.uint8), whole.view(np.uint8))


@pytest.mark.parametrize("dtype", ["bf16", "f16"])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_every_16_bit_float(jit: Jit, op: str, dtype: str) -> None:
    """Computed in f32, so the result is the nearest 16-bit float up to 1 unit."""
    stored = np.arange(1 << 16, dtype=np.uint16).view(np.uint16 if dtype == "bf16" else np.float16)
    job = Operation(op, dtype)
    got = to_float(jit.elementwise([job], 16, "host")(job, stored), dtype)
    with np.errstate(all="ignore"):
        exact = REFERENCE[op](to_float(stored, dtype).astype(np.float64))
        want = to_float(from_float64(exact, dtype), dtype)
    step = np.float64(2.0**-7 if dtype == "bf16" else 2.0**-10)
    tiny = np.float64(2.0**-133 if dtype == "bf16" else 2.0**-24)
    with np.errstate(all="ignore"):
        near = np.abs(got.astype(np.float64) - want) <= np.maximum(np.abs(want.astype(np.float64)) * step, tiny)
    assert (near | (got == want) | (np.isnan(got) & np.isnan(want))).all()


SPECIAL: dict[str, list[tuple[float, float]]] = {
    "exp": [(0.0, 1.0), (-0.0, 1.0), (np.inf, np.inf), (-np.inf, 0.0), (1e4, np.inf), (-1e4, 0.0)],
    "exp2": [(0.0, 1.0), (-0.0, 1.0), (np.inf, np.inf), (-np.inf, 0.0), (10.0, 1024.0), (-126.0, 2.0**-126)],
    "log": [(1.0, 0.0), (0.0, -np.inf), (-0.0, -np.inf), (np.inf, np.inf), (-1.0, np.nan), (-np.inf, np.nan)],
    "log2": [(1.0, 0.0), (0.0, -np.inf), (-0.0, -np.inf), (np.inf, np.inf), (-1.0, np.nan), (1024.0, 10.0)],
    "log10": [(1.0, 0.0), (0.0, -np.inf), (-0.0, -np.inf), (np.inf, np.inf), (-1.0, np.nan), (-np.inf, np.nan)],
    "sin": [(0.0, 0.0), (-0.0, -0.0), (np.inf, np.nan), (-np.inf, np.nan), (1e-30, 1e-30)],
    "cos": [(0.0, 1.0), (-0.0, 1.0), (np.inf, np.nan), (-np.inf, np.nan), (1e-30, 1.0)],
}


@pytest.mark.parametrize("lanes", [1, 16])
@pytest.mark.parametrize("dtype", ["f32", "f64"])
@pytest.mark.parametrize("op", FUNCTIONS)
def test_special_values(jit: Jit, op: str, dtype: str, lanes: int) -> None:
    job = Operation(op, dtype)
    storage = np.float32 if dtype == "f32" else np.float64
    x, want = (np.array(column).astype(storage) for column in zip(*SPECIAL[op], (np.nan, np.nan), strict=True))
    got = jit.elementwise([job], lanes, "host")(job, x)
    np.testing.assert_array_equal(got, want)
    np.testing.assert_array_equal(np.signbit(got)[:-1] & ~np.isnan(want[:-1]), np.signbit(want)[:-1])


@pytest.mark.parametrize("machine", ["host", "generic"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_powers_of_two_are_exact(jit: Jit, lanes: int, machine: str) -> None:
    jobs = [Operation("exp2", "f64"), Operation("log2", "f64")]
    run = jit.elementwise(jobs, lanes, machine)
    exponents = np.arange(-1074, 1024).astype(np.float64)
    powers = np.ldexp(1.0, exponents.astype(np.int32))
    np.testing.assert_array_equal(run(jobs[0], exponents), powers)
    np.testing.assert_array_equal(run(jobs[1], powers), exponents)


@pytest.mark.parametrize("machine", ["host", "generic"])
@pytest.mark.parametrize("lanes", [1, 4])
def test_hardest_arguments_of_cos(jit: Jit, lanes: int, machine: str) -> None:
    for dtype, x, want in (("f32", HARD_F32, HARD_F32_COS), ("f64", HARD_F64, HARD_F64_COS)):
        job = Operation("cos", dtype)
        storage = np.float32 if dtype == "f32" else np.float64
        got = jit.elementwise([job], lanes, machine)(job, np.array([x, -x], dtype=storage))
        assert abs(got.astype(np.float64) / want - 1).max() < 3 * np.finfo(storage).eps


@pytest.mark.parametrize("dtype", ["f32", "f64"])
def test_native_forms(jit: Jit, rng: np.random.Generator, dtype: str) -> None:
    """No promise but use: small relative error on moderate arguments, right at zero and beyond both ends."""
    storage = np.float32 if dtype == "f32" else np.float64
    jobs = [Operation(f"native_{op}", dtype) for op in FUNCTIONS if f"native_{op}" in MATH]
    run = jit.elementwise(jobs, 8, "host")
    for job in jobs:
        positive = job.op in ("native_log", "native_log2")
        x = rng.uniform(0.01 if positive else -20, 20, 2000).astype(storage)
        want = REFERENCE[job.op.removeprefix("native_")](x.astype(np.float64))
        error = np.abs(run(job, x) - want) / np.maximum(np.abs(want), 1e-2)
        assert error.max() < 64 * np.finfo(storage).eps, job
        assert np.isnan(run(job, np.array([np.nan], dtype=storage)))[0]
    ends = np.array([-np.inf, -5000.0, 0.0, 5000.0, np.inf], dtype=storage)
    for op in ("native_exp", "native_exp2"):
        np.testing.assert_array_equal(run(Operation(op, dtype), ends), [0, 0, 1, np.inf, np.inf])


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("dtype", ["c32", "c64"])
def test_complex_exponentials(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int) -> None:
    storage = np.complex64 if dtype == "c32" else np.complex128
    jobs = [Operation("exp", dtype), Operation("exp2", dtype)]
    run = jit.elementwise(jobs, lanes, "host")
    x = (rng.uniform(-30, 30, 2000) + 1j * rng.uniform(-50, 50, 2000)).astype(storage)
    wide = x.astype(np.clongdouble)
    references: list[Callable[[], Array]] = [lambda: np.exp(wide), lambda: np.exp(wide * np.log(np.longdouble(2)))]
    for job, reference, bound in zip(jobs, references, (6, 40), strict=True):
        want = reference()
        assert (np.abs(run(job, x) - want) / np.abs(want)).max() < bound * np.finfo(storage).eps
    real = np.array([np.inf, -np.inf, 0.0, 1000.0]).astype(storage)
    np.testing.assert_array_equal(np.real(run(jobs[0], real)[[0, 2]]), [np.inf, 1])
    np.testing.assert_array_equal(np.imag(run(jobs[0], real)), [0, 0, 0, 0])


@pytest.mark.parametrize("dtype", ["c32", "c64"])
def test_complex_exponential_does_not_overflow_early(jit: Jit, dtype: str) -> None:
    """e^re alone is infinite here, its product with a small sine is not."""
    job = Operation("exp", dtype)
    re = 89.0 if dtype == "c32" else 710.0
    x = np.array([re + 1e-3j], dtype=np.complex64 if dtype == "c32" else np.complex128)
    got = jit.elementwise([job], 1, "host")(job, x)
    want = np.exp(np.longdouble(re)) * np.sin(np.imag(x).astype(np.longdouble))
    assert np.abs(np.imag(got) / want - 1)[0] < 1e-5
    assert np.isinf(np.real(got)[0])
