"""`llvm.vector.reduce.*` against NumPy: signs, NaN, order of sums, vectors that live in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import pytest
from numpy.typing import NDArray

from frontends.tlx.kernels import findings, function, run
from frontends.tlx.llvm.reading import llvm_accepts
from frontends.tlx.test_printing import printed
from tilewright.frontends.tlx.vector_reductions import REDUCTIONS

Array = NDArray[Any]


def unsigned(x: Array) -> Array:
    return x.view(f"u{x.dtype.itemsize}")


INTEGERS: Final[Mapping[str, Callable[[Array], Any]]] = {
    "add": lambda x: x.sum(dtype=x.dtype),
    "mul": lambda x: x.prod(dtype=x.dtype),
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
    "smax": np.max,
    "smin": np.min,
    "umax": lambda x: unsigned(x).max().astype(x.dtype),
    "umin": lambda x: unsigned(x).min().astype(x.dtype),
}
FLOATS: Final[Mapping[str, Callable[[Array], Any]]] = {
    "fmaximum": np.max,
    "fminimum": np.min,
    "fmax": np.fmax.reduce,
    "fmin": np.fmin.reduce,
}
ORDERED: Final = {"fadd": np.add, "fmul": np.multiply}


def reduced(name: str, element: str, count: int, start: str = "", flags: str = "") -> str:
    """A kernel that reduces a vector in memory."""
    first = f"{element} {start}, " if start else ""
    suffix = f"v{count}{element if element[0] == 'i' else 'f32'}"
    return function(
        f"%v = load <{count} x {element}>, ptr %a",
        f"%r = call {flags} {element} @llvm.vector.reduce.{name}.{suffix}({first}<{count} x {element}> %v)",
        f"store {element} %r, ptr %c",
        parameters="ptr %a, ptr %c",
    )


def value(text: str, a: Array) -> Any:
    """What it gives in the interpreter and on the CPU."""
    result = np.zeros(1, a.dtype)
    run(text, a, result)
    assert llvm_accepts(printed(text))
    return result[0]


@pytest.mark.parametrize("name", sorted(INTEGERS))
def test_integers(name: str, rng: np.random.Generator) -> None:
    for dtype, count in ((np.int8, 7), (np.int32, 64)):
        a = rng.integers(-100, 100, count).astype(dtype)
        assert value(reduced(name, f"i{a.itemsize * 8}", count), a) == INTEGERS[name](a)


@pytest.mark.parametrize("name", sorted(FLOATS))
def test_extrema_of_floats(name: str, rng: np.random.Generator) -> None:
    a = rng.standard_normal(9).astype(np.float32)
    for nans in (0, 1, 9):
        a[:nans] = np.nan
        assert np.array_equal(value(reduced(name, "float", 9), a), FLOATS[name](a), equal_nan=True)


@pytest.mark.parametrize("name", sorted(ORDERED))
def test_sums_keep_their_order(name: str) -> None:
    a = np.array([1e15, 3, -1e15, 1e-15, 7, 1e8], np.float32)
    expected = np.float32(1.5)
    for number in a:
        expected = ORDERED[name](expected, number)
    assert value(reduced(name, "float", len(a), "1.5"), a) == expected


def test_vectors_that_live_in_memory(rng: np.random.Generator) -> None:
    a = rng.integers(-3, 3, 5000).astype(np.int32)
    assert value(reduced("add", "i32", 5000), a) == a.sum()
    assert value(reduced("umin", "i32", 5000), a) == INTEGERS["umin"](a)
    assert value(reduced("fadd", "float", 5000, "1.0", "reassoc"), a.astype(np.float32)) == 1 + a.sum()


CONDITIONS: Final = {"and": 0, "or": 1, "xor": 0, "smax": 0, "umax": 1, "add": 0}


@pytest.mark.parametrize(("name", "expected"), sorted(CONDITIONS.items()))
def test_conditions(name: str, expected: int) -> None:
    """Of 1, 0, 1: with a sign true is -1."""
    text = function(
        "%v = load <3 x i32>, ptr %a",
        "%m = icmp sgt <3 x i32> %v, zeroinitializer",
        f"%r = call i1 @llvm.vector.reduce.{name}.v3i1(<3 x i1> %m)",
        "%n = zext i1 %r to i32",
        "store i32 %n, ptr %c",
        parameters="ptr %a, ptr %c",
    )
    assert value(text, np.array([1, 0, 1], np.int32)) == expected


def test_what_is_refused() -> None:
    assert findings(reduced("fadd", "float", 5000, "1.0")) == [
        "TLX404 3: llvm.vector.reduce.fadd of 5,000 elements in their order is not supported in TLX kernels"
    ]
    for name, element in (("add", "float"), ("fmax", "i32"), ("fadd", "float")):
        (found,) = findings(reduced(name, element, 4))
        assert found.startswith(f"TLX404 3: llvm.vector.reduce.{name} of ")


def test_every_reduction_is_tried() -> None:
    assert {*INTEGERS, *FLOATS, *ORDERED} == REDUCTIONS
