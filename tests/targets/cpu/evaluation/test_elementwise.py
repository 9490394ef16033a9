"""Elementwise operations beyond the tensor language's: compiled tiles against their meaning, at edges and any bits."""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from targets.cpu.collective import Collective, available_levels
from targets.cpu.entry import parsed
from targets.llvm.elementwise import float_edges
from tilewright.ir.evaluation import evaluated
from tilewright.ir.types import ALL_SCALARS
from tilewright.machine.processor import FeatureSet
from tilewright.numerics.arrays import dtype_of

Array = NDArray[Any]
SIZE = 1200
BYTES = ("bool", "f4E2M1FN")
LEVELS = sorted({available_levels()[0], available_levels()[-1]}, key=lambda level: level.name)
INTEGERS = ("i8", "i16", "i32", "i64")
FLOATS = ("bf16", "f16", "f32", "f64")
SMALL = ("f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN")


def _numbers(dtype: str, rng: np.random.Generator) -> Array:
    """Edges first, then any bit pattern, then moderate numbers."""
    kind = dtype_of(ALL_SCALARS[dtype].format)
    if dtype == "bool":
        return rng.integers(0, 2, SIZE).astype(np.bool_)
    raw = rng.integers(0, 256, SIZE * kind.itemsize, dtype=np.uint8)
    if dtype == "f4E2M1FN":
        raw &= 0xF
    numbers = raw.view(kind)
    if dtype == "tf32":
        return (numbers.view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)
    if dtype in SMALL:
        return numbers
    if dtype in INTEGERS:
        limits = np.iinfo(kind)
        edges = np.array([0, 1, -1, 2, -2, 3, limits.min, limits.min + 1, limits.max, limits.bits], kind)
        numbers[SIZE // 2 :] = rng.integers(-20, 20, SIZE - SIZE // 2)
    else:
        with np.errstate(all="ignore"):
            edges = float_edges(dtype).astype(kind)
            numbers[SIZE // 2 :] = (rng.standard_normal(SIZE - SIZE // 2) * 30).astype(kind)
    numbers[: SIZE // 3] = rng.choice(edges, SIZE // 3)
    return numbers


@dataclass(frozen=True)
class Job:
    """`%r = <line>` on tiles `%a`, `%b`, `%c` of these element types."""

    line: str
    operands: tuple[str, ...]
    result: str
    ulps: float | None = None


def check(jobs: list[Job], level: FeatureSet = FeatureSet.HOST) -> None:
    """All jobs in one kernel, compiled, against what each operation means. Bools and numbers of 4 bits are bytes."""
    seed = secrets.randbits(32)
    print(f"seed = {seed}")
    rng = np.random.default_rng(seed)
    wanted = {f"{letter}_{t}": t for job in jobs for letter, t in zip("abc", job.operands, strict=False)}
    arguments: dict[str, Array] = {name.upper(): _numbers(t, rng) for name, t in wanted.items()}
    parameters = [f"%{name.upper()}: memref<{_stored(t)}x{SIZE}>" for name, t in wanted.items()]
    body = [
        "%z = arith.constant {value = 0} -> index",
        *(f"%{n} = arith.constant {{value = {v}}} -> tile<{SIZE}xi8>" for n, v in (("zero", 0), ("one", 1))),
    ]
    for name, t in wanted.items():
        if t == "bool":
            body.append(f"%raw_{name} = tile.load %{name.upper()}, %z -> tile<{SIZE}xi8>")
            body.append(f'%{name} = arith.cmp %raw_{name}, %zero {{predicate = "ne"}} -> tile<{SIZE}xbool>')
        elif t == "f4E2M1FN":
            body.append(f"%raw_{name} = tile.load %{name.upper()}, %z -> tile<{SIZE}xi8>")
            body.append(f"%half_{name} = arith.cast %raw_{name} -> tile<{SIZE}xi4>")
            body.append(f"%{name} = arith.bitcast %half_{name} -> tile<{SIZE}xf4E2M1FN>")
        else:
            body.append(f"%{name} = tile.load %{name.upper()}, %z -> tile<{SIZE}x{t}>")
    for k, job in enumerate(jobs):
        line = job.line
        for letter, t in zip("abc", job.operands, strict=False):
            line = re.sub(rf"%{letter}\b", f"%{letter}_{t}", line)
        body.append(f"%r{k} = {line} -> tile<{SIZE}x{job.result}>")
        if job.result == "bool":
            body.append(f"%s{k} = arith.select %r{k}, %one, %zero -> tile<{SIZE}xi8>")
        elif job.result == "f4E2M1FN":
            body.append(f"%half{k} = arith.bitcast %r{k} -> tile<{SIZE}xi4>")
            body.append(f"%s{k} = arith.ucast %half{k} -> tile<{SIZE}xi8>")
        body.append(f"tile.store %{'s' if job.result in BYTES else 'r'}{k}, %R{k}, %z")
        parameters.append(f"%R{k}: memref<{_stored(job.result)}x{SIZE}>")
        kind = dtype_of(ALL_SCALARS[job.result].format)
        arguments[f"R{k}"] = np.frombuffer(rng.bytes(SIZE * kind.itemsize), np.uint8).copy().view(kind)
    head = 'sym_name = "k", subgroup_size = 16, work_group_size = [16, 1], local_bytes = 0'
    text = f"builtin.module {{ builtin.kernel {{{head}}} ({', '.join(parameters)}) {{\n" + "\n".join(body) + "\n} }"
    operations = {r.name: op for op in parsed(text).kernels[0].body.entry for r in op.results}
    Collective(", ".join(parameters), "\n".join(body), level)(arguments)
    for k, job in enumerate(jobs):
        values = [arguments[f"{letter}_{t}".upper()] for letter, t in zip("abc", job.operands, strict=False)]
        _same(arguments[f"R{k}"], evaluated(operations[f"r{k}"], *values), values, job)


def _stored(dtype: str) -> str:
    return "i8" if dtype in BYTES else dtype


def _same(found: Array, wanted: Array, inputs: list[Array], job: Job) -> None:
    integral = wanted.dtype.kind in "iub"
    with np.errstate(invalid="ignore"):
        # signalling NaNs
        got, want = (x if integral else x.astype(np.float64) for x in (found, wanted))
    same = got == want
    if not integral:
        same &= np.signbit(got) == np.signbit(want)
        same |= np.isnan(got) & np.isnan(want)
    if job.ulps is not None:
        with np.errstate(all="ignore"):
            same |= np.abs(got - want) <= job.ulps * np.spacing(np.abs(wanted)).astype(np.float64)
    wrong = np.flatnonzero(~same)
    if wrong.size:
        at = wrong[0]
        raise AssertionError(
            f"{job}: {wrong.size} wrong, {[x[at] for x in inputs]} gives {found[at]}, not {wanted[at]}"
        )


PREDICATES = ("eq", "ne", "gt", "ge", "lt", "le")
INTEGER_WORDS = ("udiv", "urem", "ceil_div", "floor_div", "uceil_div", "umax", "umin", "ushr", "umul_high")


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers(dtype: str, level: FeatureSet) -> None:
    jobs = [Job(f"arith.{word} %a, %b", (dtype, dtype), dtype) for word in INTEGER_WORDS]
    jobs += [Job(f'arith.ucmp %a, %b {{predicate = "{p}"}}', (dtype, dtype), "bool") for p in PREDICATES]
    check(jobs, level)


@pytest.mark.parametrize("level", LEVELS)
def test_unsigned_conversions(level: FeatureSet) -> None:
    whole = (*INTEGERS, "bool")
    pairs = [(source, target) for source in whole for target in (*whole, *FLOATS)]
    pairs += [(source, target) for source in FLOATS for target in whole]
    check([Job("arith.ucast %a", (source,), target) for source, target in pairs], level)


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_floats(dtype: str, level: FeatureSet) -> None:
    words = ("maximum", "minimum", "maximum_number", "minimum_number")
    jobs = [Job(f"arith.{word} %a, %b", (dtype, dtype), dtype) for word in words]
    for word in ("ordered_cmp", "unordered_cmp"):
        jobs += [Job(f'arith.{word} %a, %b {{predicate = "{p}"}}', (dtype, dtype), "bool") for p in PREDICATES]
    jobs += [Job(f"math.{word} %a", (dtype,), dtype) for word in ("floor", "ceil", "sqrt")]
    if dtype == "f32":
        jobs.append(Job("arith.flush %a", ("f32",), "f32"))
    check(jobs, level)


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_functions(dtype: str, level: FeatureSet) -> None:
    # What `dialects.math` promises.
    ulps = 4.0 if dtype in ("f32", "f64") else 1.0
    jobs = [
        Job(f"math.{word} %a", (dtype,), dtype, ulps)
        for word in ("log10", "log1p", "expm1", "tanh", "sinh", "cosh", "rsqrt")
    ]
    jobs.append(Job("math.tan %a", (dtype,), dtype, 4.0))
    jobs += [Job(f"math.{word} %a, %b", (dtype, dtype), dtype, ulps) for word in ("atan2", "pow")]
    check(jobs, level)


@pytest.mark.parametrize("level", LEVELS)
def test_powers_of_minus_one(level: FeatureSet) -> None:
    """Exact for every exponent, the largest too."""
    largest = np.finfo(np.float64).max
    exponents = np.array([largest, -largest, 2.0**1000, 2.0**53 + 2, 2.0**53 - 1, -3.0, 0.0, np.inf])
    found = np.full(8, np.nan)
    body = "%z = arith.constant {value = 0} -> index\n"
    body += "".join(f"%{x} = tile.load %{x.upper()}, %z -> tile<8xf64>\n" for x in "ab")
    body += "%r = math.pow %a, %b -> tile<8xf64>\ntile.store %r, %R, %z"
    parameters = ", ".join(f"%{x}: memref<f64x8>" for x in "ABR")
    Collective(parameters, body, level)({"A": np.full(8, -1.0), "B": exponents, "R": found})
    np.testing.assert_array_equal(found, [1, 1, 1, 1, -1, -1, 1, 1])


@pytest.mark.covering(1)
@pytest.mark.parametrize("mode", ["zero", "up", "down"])
@pytest.mark.parametrize("dtype", FLOATS)
def test_directed_rounding(dtype: str, mode: str) -> None:
    words = (("add", 2), ("sub", 2), ("mul", 2), ("div", 2), ("sqrt", 1), ("fma", 3))
    lines = [(f'arith.rounded_{w} {", ".join(("%a", "%b", "%c")[:n])} {{rounding = "{mode}"}}', n) for w, n in words]
    check([Job(line, (dtype,) * n, dtype) for line, n in lines])


@pytest.mark.parametrize("mode", ["zero", "up", "down"])
def test_directed_conversions(mode: str) -> None:
    pairs = [("f64", "f32"), ("f64", "f16"), ("f32", "bf16"), ("f32", "f16"), ("f32", "tf32"), ("f64", "tf32")]
    if mode != "down":
        pairs += [(source, "f8E8M0FNU") for source in FLOATS]
    check([Job(f'arith.rounded_cast %a {{rounding = "{mode}"}}', (source,), target) for source, target in pairs])


@pytest.mark.covering(1)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("small", [*SMALL, "tf32"])
def test_small_floats(small: str, level: FeatureSet) -> None:
    jobs = [Job("arith.cast %a", (small,), other) for other in (*FLOATS, *INTEGERS)]
    jobs += [Job("arith.cast %a", (other,), small) for other in FLOATS]
    jobs += [Job("arith.ucast %a", (small,), other) for other in INTEGERS]
    if small != "f8E8M0FNU":
        jobs += [Job(f"arith.{word} %a", (other,), small) for word in ("cast", "ucast") for other in INTEGERS]
    check(jobs, level)
