"""Integer operations of Tile IR against Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from interpreter.tile_ir.kernels import Array, Overflow, apply
from tilewright.dialects.cuda_tile import arith
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Predicate, Rounding, Signedness
from tilewright.interpreter import KernelError
from tilewright.interpreter.tile_ir.values import from_bits, to_bits

INTEGERS = (t.I1, t.I8, t.I16, t.I32, t.I64)
SIGNED, UNSIGNED = Signedness.SIGNED, Signedness.UNSIGNED


def samples(seed: int, element: t.ElementType, count: int = 128) -> Array:
    """Random integers with all edges."""
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 1 << 62, count).astype(np.uint64) * np.uint64(5)
    small = rng.integers(-3, 4, count // 4)
    bits[: count // 4] = small.astype(np.int64).view(np.uint64)
    edges = [0, 1, -1, 1 << (element.bits - 1), (1 << (element.bits - 1)) - 1]
    bits[-5:] = np.array([e & (2**64 - 1) for e in edges], np.uint64)
    return rng.permutation(from_bits(bits & np.uint64((1 << element.bits) - 1), element))


def numbers(values: Array, element: t.ElementType, signedness: Signedness) -> list[int]:
    bits = to_bits(values, element).tolist()
    if signedness is UNSIGNED:
        return bits
    return [b - (1 << element.bits) if b >> (element.bits - 1) else b for b in bits]


def check(found: Array, element: t.ElementType, wanted: list[int]) -> None:
    mask = (1 << element.bits) - 1
    assert to_bits(found, element).tolist() == [w & mask for w in wanted]


def truncated(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


PLAIN: list[tuple[type[Any], Callable[[int, int], int]]] = [
    (arith.AddI, lambda a, b: a + b),
    (arith.SubI, lambda a, b: a - b),
    (arith.MulI, lambda a, b: a * b),
    (arith.AndI, lambda a, b: a & b),
    (arith.OrI, lambda a, b: a | b),
    (arith.XorI, lambda a, b: a ^ b),
]


@pytest.mark.parametrize("element", INTEGERS, ids=str)
@pytest.mark.parametrize(("kind", "compute"), PLAIN, ids=lambda k: getattr(k, "__name__", ""))
def test_wrapping(element: t.ElementType, kind: type[Any], compute: Callable[[int, int], int], seed: int) -> None:
    x, y = samples(seed, element), samples(seed + 1, element)
    found = apply(lambda b, v: b(kind(*v)).out, [(x, element), (y, element)], element, checked=True)
    pairs = zip(numbers(x, element, UNSIGNED), numbers(y, element, UNSIGNED), strict=True)
    check(found, element, [compute(a, b) for a, b in pairs])


@pytest.mark.parametrize("element", INTEGERS, ids=str)
@pytest.mark.parametrize("signedness", Signedness, ids=lambda s: s.value)
def test_signed_operations(element: t.ElementType, signedness: Signedness, seed: int) -> None:
    x, y = samples(seed, element), samples(seed + 1, element)
    y = np.where(y == 0, from_bits(np.asarray(1), element), y)
    least = 1 << (element.bits - 1)
    overflows = (to_bits(x, element) == least) & (to_bits(y, element) == (1 << element.bits) - 1)
    if signedness is SIGNED and element is not t.I1:
        x = np.where(overflows, np.zeros_like(x), x)
    if signedness is SIGNED and element is t.I1:
        x = np.zeros_like(x)
    pairs = list(zip(numbers(x, element, signedness), numbers(y, element, signedness), strict=True))
    inputs = [(x, element), (y, element)]

    def run(make: Callable[[Any, Any], Any]) -> Array:
        return apply(lambda b, v: b(make(*v)).out, inputs, element, checked=True)

    check(run(lambda a, b: arith.MaxI(a, b, signedness)), element, [max(p) for p in pairs])
    check(run(lambda a, b: arith.MinI(a, b, signedness)), element, [min(p) for p in pairs])
    check(run(lambda a, b: arith.DivI(a, b, signedness)), element, [truncated(a, b) for a, b in pairs])
    up = run(lambda a, b: arith.DivI(a, b, signedness, rounding=Rounding.POSITIVE_INF))
    check(up, element, [-(-a // b) for a, b in pairs])
    if signedness is SIGNED:
        down = run(lambda a, b: arith.DivI(a, b, signedness, rounding=Rounding.NEGATIVE_INF))
        check(down, element, [a // b for a, b in pairs])
    check(run(lambda a, b: arith.RemI(a, b, signedness)), element, [a - truncated(a, b) * b for a, b in pairs])
    high = run(arith.MulHiI)
    unsigned = zip(numbers(x, element, UNSIGNED), numbers(y, element, UNSIGNED), strict=True)
    check(high, element, [a * b >> element.bits for a, b in unsigned])
    amounts = from_bits(np.random.default_rng(seed).integers(0, element.bits, 128).astype(np.uint64), element)
    inputs = [(x, element), (amounts, element)]
    shifts = list(zip((p[0] for p in pairs), numbers(amounts, element, UNSIGNED), strict=True))
    check(run(lambda a, b: arith.ShrI(a, b, signedness)), element, [a >> b for a, b in shifts])
    check(run(arith.ShlI), element, [a << b for a, b in shifts])


@pytest.mark.parametrize("element", INTEGERS, ids=str)
def test_unary_and_comparisons(element: t.ElementType, seed: int) -> None:
    x, y = samples(seed, element), samples(seed + 1, element)
    y[:32] = x[:32]
    values = numbers(x, element, SIGNED)
    check(apply(lambda b, v: b(arith.NegI(*v)).out, [(x, element)], element), element, [-a for a in values])
    check(apply(lambda b, v: b(arith.AbsI(*v)).out, [(x, element)], element), element, [abs(a) for a in values])
    compute: dict[str, Callable[[int, int], bool]] = {
        "equal": lambda a, b: a == b,
        "not_equal": lambda a, b: a != b,
        "less_than": lambda a, b: a < b,
        "less_than_or_equal": lambda a, b: a <= b,
        "greater_than": lambda a, b: a > b,
        "greater_than_or_equal": lambda a, b: a >= b,
    }
    for signedness in Signedness:
        pairs = list(zip(numbers(x, element, signedness), numbers(y, element, signedness), strict=True))
        for predicate in Predicate:

            def build(b: Any, v: Any, predicate: Any = predicate, signedness: Any = signedness) -> Any:
                return b(arith.CmpI(predicate, v[0], v[1], signedness, result_types=[t.Tile((128,), t.I1)])).out

            found = apply(build, [(x, element), (y, element)], t.I1)
            assert found.tolist() == [compute[predicate.value](*p) for p in pairs]


def refused(make: Callable[[Any, Any], Any], x: Array, y: Array, element: t.ElementType, words: str) -> None:
    def build(b: Any, v: Any) -> Any:
        return b(make(*v)).out

    apply(build, [(x, element), (y, element)], element)
    with pytest.raises(KernelError, match=words):
        apply(build, [(x, element), (y, element)], element, checked=True)


def test_broken_promises() -> None:
    for element in (t.I8, t.I32, t.I64):
        dtype = from_bits(np.asarray(0), element).dtype
        top = np.full(2, (1 << (element.bits - 1)) - 1, dtype)
        one, minus = np.ones(2, dtype), np.full(2, -1, dtype)
        for kind, x, y, promise in (
            (arith.AddI, top, one, Overflow.NO_SIGNED_WRAP),
            (arith.AddI, minus, one, Overflow.NO_UNSIGNED_WRAP),
            (arith.SubI, -top, top, Overflow.NO_WRAP),
            (arith.MulI, top, top, Overflow.NO_SIGNED_WRAP),
            (arith.ShlI, top, one, Overflow.NO_SIGNED_WRAP),
        ):

            def make(a: Any, b: Any, kind: Any = kind, promise: Overflow = promise) -> Any:
                return kind(a, b, overflow=promise)

            refused(make, x, y, element, f"promises {promise.value}")
        apply(
            lambda b, v: b(arith.AddI(*v, overflow=Overflow.NO_UNSIGNED_WRAP)).out,
            [(top, element), (one, element)],
            element,
            checked=True,
        )


def test_undefined_quotients_and_shifts() -> None:
    x, zero = np.array([5, -128], np.int8), np.array([0, -1], np.int8)
    refused(lambda a, b: arith.DivI(a, b, UNSIGNED), x, zero, t.I8, r"divides by zero at \[0\]")
    refused(lambda a, b: arith.RemI(a, b, SIGNED), x, zero, t.I8, "divides by zero")
    refused(lambda a, b: arith.DivI(a, b, SIGNED), x, np.array([1, -1], np.int8), t.I8, "least i8")
    refused(arith.ShlI, x, np.array([1, 8], np.int8), t.I8, r"shifts i8 by 8 at \[1\]")
