"""Every elementwise operation on every element type against NumPy, in 1, 4 and 16 lanes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from generators.fused import fused, hard_sums
from targets.llvm.elementwise import (
    COMPLEXES,
    FLOATS,
    INTEGERS,
    Jit,
    Operation,
    from_float64,
    operations,
    pairs,
    random_bits,
    to_float,
)
from tilewright.targets.llvm.arith import COMPARE, MATH
from tilewright.targets.llvm.types import ELEMENTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from targets.llvm.elementwise import Array

LANES = (1, 4, 16)
MACHINES = ("host", "generic")


def expect_same(
    job: Operation, got: Array, want: Array, operands: tuple[Array, ...], *, zero_signs: bool = True
) -> None:
    """Equal bits, except that all NaN are alike and, on request, both zeros."""
    if job.result_type == "bf16":
        got, want = to_float(got, "bf16"), to_float(want, "bf16")
    if got.dtype.kind == "c":
        got, want = got.view(f"f{got.itemsize // 2}"), want.view(f"f{got.itemsize // 2}")
        operands = tuple(np.repeat(x, 2) for x in operands)
    same = got == want
    if got.dtype.kind == "f":
        if zero_signs:
            same &= np.signbit(got) == np.signbit(want)
        same |= np.isnan(got) & np.isnan(want)
    wrong = np.flatnonzero(~same)
    if wrong.size:
        at = wrong[0]
        raise AssertionError(
            f"{job}: {wrong.size} wrong, first {[x[at] for x in operands]} gives {got[at]}, not {want[at]}"
        )


def narrowed(wide: Array, dtype: str) -> Array:
    """An f32 result rounded to the type it is for."""
    if dtype == "bf16":
        return from_float64(wide.astype(np.float64), "bf16")
    return wide.astype(np.float16) if dtype == "f16" else wide


def integer_reference(op: str, x: Array, y: Array, z: Array) -> Array:
    """Wrapping, total."""
    bits = x.dtype.itemsize * 8
    amount = y & (bits - 1)
    nonzero = np.where(y == 0, np.ones_like(y), y)
    quotient = np.where(y == -1, -x, np.trunc(x.astype(np.longdouble) / nonzero.astype(np.longdouble)).astype(x.dtype))
    quotient = np.where(y == 0, np.zeros_like(x), quotient)
    table: dict[str, Callable[[], Array]] = {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "div": lambda: quotient,
        "rem": lambda: x - quotient * y,
        "max": lambda: np.maximum(x, y),
        "min": lambda: np.minimum(x, y),
        "shl": lambda: x << amount,
        "shr": lambda: x >> amount,
        "and": lambda: x & y,
        "or": lambda: x | y,
        "xor": lambda: x ^ y,
        "abs": lambda: np.where(x < 0, -x, x),
        "neg": lambda: -x,
        "not": lambda: ~x,
        "fma": lambda: x * y + z,
    }
    return table[op]()


COMPARISONS: dict[str, np.ufunc] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
    "lt": np.less,
    "le": np.less_equal,
}


def float_reference(op: str, x: Array, y: Array, z: Array) -> Array:
    """f32 or f64."""
    table: dict[str, Callable[[], Array]] = {
        "add": lambda: x + y,
        "sub": lambda: x - y,
        "mul": lambda: x * y,
        "div": lambda: x / y,
        "rem": lambda: np.fmod(x, y),
        "max": lambda: np.fmax(x, y),
        "min": lambda: np.fmin(x, y),
        "abs": lambda: np.abs(x),
        "neg": lambda: -x,
        "sqrt": lambda: np.sqrt(x),
    }
    return table[op]()


def fused_reference(dtype: str, x: Array, y: Array, z: Array) -> Array:
    """Exact fractions, rounded once; the operands widened."""
    rows = zip(x.tolist(), y.tolist(), z.tolist(), strict=True)
    return from_float64(np.array([fused(dtype, a, b, c) for a, b, c in rows]), dtype)


@pytest.mark.covering(2)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int, machine: str) -> None:
    jobs = operations(dtype)
    run = jit.elementwise(jobs, lanes, machine)
    x, y = pairs(rng, dtype, 2000)
    z = random_bits(rng, dtype, x.size)
    condition = random_bits(rng, "bool", x.size)
    for job in jobs:
        with np.errstate(all="ignore"):
            if job.op == "select":
                expect_same(job, run(job, condition, x, y), np.where(condition == 1, x, y), (condition, x, y))
            elif job.op in COMPARE:
                expect_same(job, run(job, x, y), COMPARISONS[job.op](x, y).astype(np.uint8), (x, y))
            else:
                operands = (x, y, z)[: len(job.operand_types)]
                expect_same(job, run(job, *operands), integer_reference(job.op, x, y, z), operands)


@pytest.mark.covering(2)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int, machine: str) -> None:
    jobs = [job for job in operations(dtype) if job.op not in MATH]
    run = jit.elementwise(jobs, lanes, machine)
    x, y = pairs(rng, dtype, 1500)
    z = random_bits(rng, dtype, x.size)
    condition = random_bits(rng, "bool", x.size)
    wide = [to_float(v, dtype) for v in (x, y, z)]
    for job in jobs:
        with np.errstate(all="ignore"):
            if job.op == "select":
                expect_same(job, run(job, condition, x, y), np.where(condition == 1, x, y), (condition, x, y))
            elif job.op in COMPARE:
                want = COMPARISONS[job.op](wide[0], wide[1]).astype(np.uint8)
                expect_same(job, run(job, x, y), want, (x, y))
            else:
                operands = (x, y, z)[: len(job.operand_types)]
                fma = job.op == "fma"
                want = fused_reference(dtype, *wide) if fma else narrowed(float_reference(job.op, *wide), dtype)
                expect_same(job, run(job, *operands), want, operands, zero_signs=job.op not in ("max", "min"))


@pytest.mark.covering(2)
@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", FLOATS)
def test_fma_rounds_once(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int, machine: str) -> None:
    job = Operation("fma", dtype)
    operands = tuple(from_float64(v, dtype) for v in hard_sums(dtype, rng, 1000))
    want = fused_reference(dtype, *(to_float(v, dtype) for v in operands))
    expect_same(job, jit.elementwise([job], lanes, machine)(job, *operands), want, operands)


@pytest.mark.parametrize("lanes", LANES)
def test_bools(jit: Jit, rng: np.random.Generator, lanes: int) -> None:
    run = jit.elementwise(operations("bool"), lanes, "host")
    x, y, condition = (random_bits(rng, "bool", 100) for _ in range(3))
    wants: dict[str, Array] = {"and": x & y, "or": x | y, "xor": x ^ y, "not": x ^ 1}
    for op, want in wants.items():
        job = Operation(op, "bool")
        operands = (x, y)[: len(job.operand_types)]
        expect_same(job, run(job, *operands), want, operands)
    job = Operation("select", "bool")
    expect_same(job, run(job, condition, x, y), np.where(condition == 1, x, y), (condition, x, y))


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", COMPLEXES)
def test_complex_exact(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int) -> None:
    """Operations with a formula of their own, to the last bit."""
    component = ELEMENTS[dtype].component
    x, y = pairs(rng, dtype, 2000)
    condition = random_bits(rng, "bool", x.size)
    with np.errstate(all="ignore"):
        wants: dict[str, Array] = {
            "add": together(np.real(x) + np.real(y), np.imag(x) + np.imag(y)),
            "sub": together(np.real(x) - np.real(y), np.imag(x) - np.imag(y)),
            "mul": together(
                np.real(x) * np.real(y) - np.imag(x) * np.imag(y), np.real(x) * np.imag(y) + np.imag(x) * np.real(y)
            ),
            "neg": together(-np.real(x), -np.imag(x)),
            "conj": together(np.real(x), -np.imag(x)),
            "re": np.real(x),
            "im": np.imag(x),
            "eq": ((np.real(x) == np.real(y)) & (np.imag(x) == np.imag(y))).astype(np.uint8),
            "ne": ((np.real(x) != np.real(y)) | (np.imag(x) != np.imag(y))).astype(np.uint8),
        }
    jobs = [Operation(op, dtype) for op in wants] + [Operation("select", dtype)]
    run = jit.elementwise(jobs, lanes, "host")
    for job in jobs[:-1]:
        operands = (x, y)[: len(job.operand_types)]
        expect_same(job, run(job, *operands), wants[job.op], operands)
    expect_same(jobs[-1], run(jobs[-1], condition, x, y), np.where(condition == 1, x, y), (condition, x, y))
    assert wants["re"].dtype.itemsize * 8 == ELEMENTS[component].bits


def together(re: Array, im: Array) -> Array:
    """Interleaved parts as complex numbers; complex arithmetic would turn an infinity into NaN."""
    return np.ascontiguousarray(np.stack([re, im], axis=-1)).view(f"c{2 * re.dtype.itemsize}").reshape(-1)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", COMPLEXES)
def test_complex_quotient_and_modulus(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int, machine: str) -> None:
    """Of all magnitudes: right by norm as long as the result is a normal number, never an early overflow."""
    jobs = [Operation("div", dtype), Operation("abs", dtype)]
    run = jit.elementwise(jobs, lanes, machine)
    info = np.finfo(np.float32 if dtype == "c32" else np.float64)
    x, y = (any_magnitude(rng, info, 4000) for _ in range(2))
    quotient = run(jobs[0], x, y).astype(np.clongdouble)
    want = x.astype(np.clongdouble) / y.astype(np.clongdouble)
    expect_close(quotient, want, info, 6)
    expect_close(run(jobs[1], x).astype(np.longdouble), np.abs(x.astype(np.clongdouble)), info, 3)


def any_magnitude(rng: np.random.Generator, info: np.finfo[np.floating], count: int) -> Array:
    """Complex numbers whose parts have independent exponents from the whole range, subnormals included."""
    parts = rng.uniform(1, 2, (2, count)) * rng.choice([-1.0, 1.0], (2, count))
    near = rng.integers(info.minexp - 5, info.maxexp, count)
    exponents = np.stack([near, np.where(rng.random(count) < 0.5, near, rng.integers(info.minexp, info.maxexp, count))])
    scaled = np.ldexp(parts.astype(info.dtype), exponents)
    return together(scaled[0], scaled[1])


def expect_close(got: Array, want: Array, info: np.finfo[np.floating], ulps: float) -> None:
    """Within so many units of the result's norm, where the result is in the range of normal numbers."""
    magnitude = np.abs(want)
    normal = (magnitude > float(info.tiny) * 4) & (magnitude < float(info.max) / 4)
    assert normal.sum() > want.size // 10
    error = np.abs(got - want)[normal] / magnitude[normal]
    assert error.max() <= ulps * float(info.eps), (
        f"{error.max() / float(info.eps)} ulp at {want[normal][error.argmax()]}"
    )
    assert not np.isfinite(got[magnitude > float(info.max) * 4]).any()
    assert (np.abs(got[magnitude < float(info.tiny) / 4]) < float(info.tiny)).all()


@pytest.mark.parametrize("dtype", COMPLEXES)
def test_complex_special_quotients(jit: Jit, dtype: str) -> None:
    """A zero divisor divides both parts by zero, an infinite one gives zero; an infinite part decides the modulus."""
    jobs = [Operation("div", dtype), Operation("abs", dtype)]
    run = jit.elementwise(jobs, 1, "host")
    storage = np.complex64 if dtype == "c32" else np.complex128
    inf, nan = np.inf, np.nan
    x = np.array([1 + 2j, -1 + 0j, 0j, 3 - 4j, 1 + 1j], dtype=storage)
    y = np.array([0j, 0j, 0j, complex(inf, 1), complex(-inf, inf)], dtype=storage)
    quotient = run(jobs[0], x, y)
    np.testing.assert_array_equal(np.real(quotient), [inf, -inf, nan, 0, 0])
    np.testing.assert_array_equal(np.imag(quotient), [inf, nan, nan, 0, 0])
    small = run(jobs[0], np.array([1e-30 + 1e30j], dtype=storage), np.zeros(1, storage))
    assert (np.real(small)[0], np.imag(small)[0]) == (inf, inf)
    z = np.array([complex(inf, nan), complex(nan, -inf), complex(nan, 1), 0j, 3 + 4j], dtype=storage)
    np.testing.assert_array_equal(run(jobs[1], z), [inf, inf, nan, 0, 5])


@pytest.mark.parametrize("lanes", LANES)
@pytest.mark.parametrize("dtype", COMPLEXES)
def test_complex_fma(jit: Jit, rng: np.random.Generator, dtype: str, lanes: int) -> None:
    job = Operation("fma", dtype)
    run = jit.elementwise([job], lanes, "host")
    storage = np.complex64 if dtype == "c32" else np.complex128
    x, y, z = (together(rng.normal(size=501), rng.normal(size=501)).astype(storage) for _ in range(3))
    wide = [v.astype(np.clongdouble) for v in (x, y, z)]
    scale = np.abs(wide[0] * wide[1]) + np.abs(wide[2])
    wanted: Array = wide[0] * wide[1]
    wanted = wanted + wide[2]
    error = np.abs(run(job, x, y, z) - wanted) / scale
    assert error.max() < 3 * np.finfo(storage).eps
