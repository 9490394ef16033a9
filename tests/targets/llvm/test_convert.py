"""Casts between all pairs of number types, rounding once, saturating, NaN to zero."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pytest

from targets.llvm.elementwise import (
    COMPLEXES,
    FLOATS,
    INTEGERS,
    NUMBERS,
    STORAGE,
    Jit,
    Operation,
    casts,
    edges,
    module_of,
    operations,
    random_bits,
    round_to,
    to_float,
)
from tilewright.machine.native import assembly_of
from tilewright.machine.processor import Machine
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder, Complex, Module
from tilewright.targets.llvm.features import AARCH64, GENERIC, Features
from tilewright.targets.llvm.types import ELEMENTS

if TYPE_CHECKING:
    from targets.llvm.elementwise import Array

RANGES = {"bf16": (8, -126, 127), "f16": (11, -14, 15), "f32": (24, -126, 127), "f64": (53, -1022, 1023)}


def reference(x: Array, source: str, target: str) -> Array:
    """Through 80-bit floats, which hold every i64 and every f64 exactly; rounding on scaled numbers, not by casting."""
    with np.errstate(invalid="ignore"):
        exact = to_float(x, source).astype(np.longdouble)
    if target in RANGES:
        rounded = round_to(exact, *RANGES[target])
        with np.errstate(all="ignore"):
            return rounded.astype(np.float64 if target == "f64" else np.float32)
    if source in INTEGERS:
        return x.astype(STORAGE[target])
    info = np.iinfo(STORAGE[target].name)
    truncated = np.trunc(np.where(np.isnan(exact), np.longdouble(0), exact))
    low, high = np.longdouble(info.min), np.longdouble(info.max)
    inside = np.clip(truncated, low, high)
    # i64's maximum is exact in 80 bits, so the conversion of the clipped number never overflows.
    return inside.astype(STORAGE[target])


def interesting(rng: np.random.Generator, dtype: str) -> Array:
    """Edges, random bits, and numbers close to the midpoints between 16-bit floats."""
    values = [edges(dtype), random_bits(rng, dtype, 3000)]
    if dtype in ("i32", "i64", "index"):
        bits = STORAGE[dtype].itemsize * 8
        mantissa = rng.integers(128, 256, 500) * 2 + 1
        near = (mantissa << rng.integers(0, bits - 10, 500)) + rng.integers(-2, 3, 500)
        values.append(np.concatenate([near, -near]).astype(STORAGE[dtype]))
        values.append(rng.integers(-70000, 70000, 1000).astype(STORAGE[dtype]))
    if dtype in ("f32", "f64"):
        for mantissa_bits, low, high in ((8, -135, 127), (11, -26, 16)):
            odd = rng.integers(1 << mantissa_bits, 2 << mantissa_bits, 1000) | 1
            midpoint = np.ldexp(odd.astype(STORAGE[dtype]), rng.integers(low, high, 1000) - mantissa_bits)
            toward = rng.choice([-np.inf, np.inf], 1000).astype(STORAGE[dtype])
            values += [midpoint, np.nextafter(midpoint, toward), -midpoint]
        values.append(np.ldexp(rng.normal(size=2000), rng.integers(0, 70, 2000)).astype(STORAGE[dtype]))
    return np.concatenate(values)


@pytest.mark.covering(2)
@pytest.mark.parametrize("machine", ["host", "generic"])
@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("source", INTEGERS + FLOATS)
def test_real_casts(jit: Jit, rng: np.random.Generator, source: str, lanes: int, machine: str) -> None:
    jobs = casts(source)
    run = jit.elementwise(jobs, lanes, machine)
    x = interesting(rng, source)
    for job in jobs:
        got = run(job, x)
        if job.target in COMPLEXES:
            component = ELEMENTS[job.target].component
            np.testing.assert_array_equal(np.real(got), reference(x, source, component), str(job))
            np.testing.assert_array_equal(np.imag(got), np.zeros(x.size), str(job))
        else:
            compare(job, x, to_float(got, job.target), reference(x, source, job.target))


def compare(job: Operation, x: Array, got: Array, want: Array) -> None:
    """Equal numbers, signs of zero included."""
    same = (got == want) & (np.signbit(got) == np.signbit(want)) if got.dtype.kind == "f" else got == want
    if got.dtype.kind == "f":
        same |= np.isnan(got) & np.isnan(want)
    wrong = np.flatnonzero(~same)
    assert not wrong.size, f"{job}: {x[wrong[0]]} gives {got[wrong[0]]}, not {want[wrong[0]]} ({wrong.size} wrong)"


@pytest.mark.parametrize("lanes", [1, 4, 16])
@pytest.mark.parametrize("source", COMPLEXES)
def test_complex_casts(jit: Jit, rng: np.random.Generator, source: str, lanes: int) -> None:
    run = jit.elementwise(casts(source), lanes, "host")
    x = random_bits(rng, source, 1000)
    for job in casts(source):
        with np.errstate(all="ignore"):
            want = x.view(f"f{x.itemsize // 2}").astype(f"f{STORAGE[job.target].itemsize // 2}")
        np.testing.assert_array_equal(run(job, x).view(want.dtype), want)


@pytest.mark.parametrize("target", sorted(set(NUMBERS) - set(COMPLEXES)))
def test_complex_to_real_is_refused(target: str) -> None:
    function = Module().function("f", "void", [("float", "re"), ("float", "im")])
    arith = Arithmetic(Builder(function), GENERIC)
    with pytest.raises(ValueError, match="take re or im"):
        arith.cast(Complex(*function.arguments), "c32", target)


MACHINES = {
    "x86": ("x86_64-unknown-linux-gnu", "", GENERIC, 4),
    "avx2": ("x86_64-unknown-linux-gnu", "+avx2,+fma,+f16c", Features(fma=True, f16_conversion=True), 8),
    "aarch64": ("aarch64-unknown-linux-gnu", "", AARCH64, 4),
}


@pytest.mark.covering(1)
@pytest.mark.parametrize("dtype", ["i8", "i64", "bf16", "f16", "f64", "c32"])
@pytest.mark.parametrize("machine", MACHINES)
def test_code_calls_no_library(machine: str, dtype: str) -> None:
    """Without conversion instructions LLVM would call compiler-rt, which no process is sure to have."""
    triple, flags, features, lanes = MACHINES[machine]
    jobs = [job for job in [*operations(dtype), *casts(dtype)] if features.fma or job.op != "fma"]
    assembly = assembly_of(module_of(jobs, lanes, features, triple), Machine(triple, "", flags))
    calls = re.findall(r"^\s*(?:callq?|bl)\s+\"?([^\s\"]+)", assembly, re.MULTILINE)
    assert {name for name in calls if not name.startswith("tilewright.")} == set()
    assert calls or dtype not in ("f64", "bf16", "f16"), "the pattern finds calls"
