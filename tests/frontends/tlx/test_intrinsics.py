"""LLVM's own intrinsics that become several operations, against Python's numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from frontends.tlx.kernels import findings, function, run
from frontends.tlx.llvm.reading import llvm_accepts
from frontends.tlx.test_printing import printed
from tilewright.frontends.tlx.intrinsics import FORMS

Array = NDArray[Any]
INTEGERS: Final = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64}
TYPES: Final[Mapping[str, type[np.generic]]] = {
    **INTEGERS,
    "half": np.float16,
    "float": np.float32,
    "double": np.float64,
}
SUFFIXES: Final = {"half": "f16", "float": "f32", "double": "f64"}


def values(name: str, element: str, *columns: Array, flag: str = "") -> Array:
    """What an intrinsic makes of numbers, on every floor."""
    count = len(columns[0])
    kind = f"<{count} x {element}>"
    pointers = [f"%p{k}" for k in range(len(columns))]
    loads = [f"%v{k} = load {kind}, ptr %p{k}" for k in range(len(columns))]
    operands = ", ".join([*(f"{kind} %v{k}" for k in range(len(columns))), *([flag] if flag else [])])
    suffix = f"v{count}{SUFFIXES.get(element, element)}"
    text = function(
        *loads,
        f"%r = call {kind} @llvm.{name}.{suffix}({operands})",
        f"store {kind} %r, ptr %out",
        parameters=", ".join(f"ptr {p}" for p in (*pointers, "%out")),
    )
    found = np.zeros(count, TYPES[element])
    run(text, *columns, found)
    assert llvm_accepts(printed(text))
    return found


def same(found: Array, expected: Array) -> bool:
    """Equal, signs of zeros too; NaN is NaN."""
    signs = np.isnan(expected) | (np.signbit(found) == np.signbit(expected))
    return np.array_equal(found, expected, equal_nan=True) and bool(signs.all())


def away(x: Array) -> Array:
    whole = np.trunc(x)
    return np.where(np.abs(x - whole) >= 0.5, whole + np.copysign(1, x), whole).astype(x.dtype)


ROUNDED: Final[Mapping[str, Callable[[Array], Array]]] = {
    "trunc": np.trunc,
    "round": away,
    "roundeven": np.rint,
    "rint": np.rint,
    "nearbyint": np.rint,
    "canonicalize": np.asarray,
}


@pytest.mark.parametrize("element", sorted(SUFFIXES))
@pytest.mark.parametrize("name", sorted(ROUNDED))
def test_rounding(name: str, element: str) -> None:
    numbers = [-2.5, -1.5, -1.2, -0.5, -0.3, -0.0, 0.0, 0.5, 0.7, 1.5, 2.5, 3.49, 1025, -1000, np.inf, np.nan]
    x = np.array(numbers, TYPES[element])
    with np.errstate(invalid="ignore"):
        assert same(values(name, element, x), ROUNDED[name](x))


def test_signs_and_logarithms(rng: np.random.Generator) -> None:
    x, y = rng.standard_normal((2, 9)).astype(np.float32)
    assert same(values("copysign", "float", x, y), np.copysign(x, y))
    powers = np.array([1, 10, 1000, 1e6], np.float32)
    assert same(values("log10", "float", powers), np.array([0, 1, 3, 6], np.float32))


def clamped(element: str, signed: bool, exact: list[int]) -> Array:
    bits = int(element[1:])
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    limited = [min(max(n, low), high) for n in exact]
    return np.array([n - (1 << bits) if n >> bits - 1 == 1 else n for n in limited], TYPES[element])


@pytest.mark.parametrize("element", sorted(INTEGERS))
def test_saturation(element: str, rng: np.random.Generator) -> None:
    info = np.iinfo(INTEGERS[element])
    x, y = (rng.integers(info.min, info.max, 20, INTEGERS[element], endpoint=True) for _ in range(2))
    x[:3], y[:3] = info.min, (info.min, info.max, -1)
    mask = (1 << info.bits) - 1
    pairs = [(int(p), int(q)) for p, q in zip(x, y, strict=True)]
    unsigned = [(p & mask, q & mask) for p, q in pairs]
    assert same(values("sadd.sat", element, x, y), clamped(element, True, [p + q for p, q in pairs]))
    assert same(values("ssub.sat", element, x, y), clamped(element, True, [p - q for p, q in pairs]))
    assert same(values("uadd.sat", element, x, y), clamped(element, False, [p + q for p, q in unsigned]))
    assert same(values("usub.sat", element, x, y), clamped(element, False, [p - q for p, q in unsigned]))


@pytest.mark.parametrize("element", sorted(INTEGERS))
def test_bits(element: str, rng: np.random.Generator) -> None:
    info = np.iinfo(INTEGERS[element])
    x, y, d = (rng.integers(info.min, info.max, 20, INTEGERS[element], endpoint=True) for _ in range(3))
    x[:3], d[:3] = (0, -1, 1), (0, info.bits, info.bits - 1)
    width, mask = info.bits, (1 << info.bits) - 1
    words = [f"{int(n) & mask:0{width}b}" for n in x]
    assert values("ctpop", element, x).tolist() == [w.count("1") for w in words]
    assert values("ctlz", element, x, flag="i1 false").tolist() == [len(w) - len(w.lstrip("0")) for w in words]
    assert values("cttz", element, x, flag="i1 false").tolist() == [len(w) - len(w.rstrip("0")) for w in words]
    rows = [(w + f"{int(n) & mask:0{width}b}", int(k) % width) for w, n, k in zip(words, y, d, strict=True)]
    left = [int(row[k : k + width], 2) for row, k in rows]
    right = [int(row[width - k : 2 * width - k], 2) for row, k in rows]
    assert (values("fshl", element, x, y, d).astype(object) & mask).tolist() == left
    assert (values("fshr", element, x, y, d).astype(object) & mask).tolist() == right


def test_what_is_refused() -> None:
    def of(call: str) -> str:
        (found,) = findings(function(call, parameters="float %x, i32 %i, i64 %l"))
        return found

    assert of("%r = call i32 @llvm.trunc.i32(i32 %i)") == "TLX404 2: llvm.trunc of i32 is not supported in TLX kernels"
    assert "llvm.ctpop of f32" in of("%r = call float @llvm.ctpop.f32(float %x)")
    assert "llvm.fshl of these operands" in of("%r = call i32 @llvm.fshl.i32(i32 %i, i32 %i)")
    assert "@llvm.sadd.with.overflow" in of("%r = call { i32, i1 } @llvm.sadd.with.overflow.i32(i32 %i, i32 %i)")


def test_every_form_is_tried() -> None:
    tried = {*ROUNDED, "copysign", "expect", "fshl", "fshr", "ctpop", "ctlz", "cttz"}
    assert tried | {f"{sign}{name}.sat" for sign in "su" for name in ("add", "sub")} == set(FORMS)
    lines = ("%r = call i1 @llvm.expect.i1(i1 true, i1 true)", "%n = zext i1 %r to i32", "store i32 %n, ptr %a")
    out = np.zeros(1, np.int32)
    run(function(*lines, parameters="ptr %a"), out)
    assert out[0] == 1
