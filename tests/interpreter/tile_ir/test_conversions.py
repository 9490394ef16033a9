"""Conversions of Tile IR against NumPy, ml_dtypes and the types' definitions."""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
import pytest

from interpreter.tile_ir.kernels import Array, apply
from tilewright.dialects.cuda_tile import conversions, core
from tilewright.dialects.cuda_tile import types as t
from tilewright.dialects.cuda_tile.attributes import Overflow, Rounding, Signedness
from tilewright.dialects.cuda_tile.numbers import float_value
from tilewright.interpreter import KernelError
from tilewright.interpreter.tile_ir.values import from_bits, to_bits, to_double

INTEGERS = (t.I1, t.I8, t.I16, t.I32, t.I64)
WIDE = (t.F16, t.BF16, t.F32, t.F64, t.TF32)
SMALL = (t.F8E4M3FN, t.F8E5M2)


def patterns(seed: int, element: t.ElementType, count: int = 256) -> Array:
    """Random patterns; all of them for types of eight bits."""
    if element.bits == 8:
        return from_bits(np.arange(256), element)
    bits = np.random.default_rng(seed).integers(0, 1 << 62, count).astype(np.uint64) * np.uint64(5)
    return from_bits(bits & np.uint64((1 << element.bits) - 1), element)


def convert(x: Array, source: t.ElementType, target: t.ElementType, **options: Any) -> Array:
    def build(b: Any, v: Any) -> Any:
        return b(conversions.FToF(*v, **options, result_types=[t.Tile(x.shape, target)])).out

    return apply(build, [(x, source)], target)


@pytest.mark.parametrize("source", [*WIDE, *SMALL, t.F8E8M0FNU], ids=str)
@pytest.mark.parametrize("target", [*WIDE, *SMALL], ids=str)
def test_nearest(source: t.ElementType, target: t.ElementType, seed: int) -> None:
    """The result is the nearest number of the type, by search over the patterns of narrow types."""
    if source is target:
        return
    x = patterns(seed, source)
    if source.floating.signed:
        x[:32] = from_bits(to_bits(np.linspace(-9, 9, 32).astype(x.dtype), source), source)
    found = convert(x, source, target)
    doubles, results = to_double(x, source), to_double(found, target)
    np.testing.assert_array_equal(np.isnan(results), np.isnan(doubles))
    if target is t.F64:
        np.testing.assert_array_equal(results, doubles)
    elif target is t.F32:
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(found, doubles.astype(np.float32))
    else:
        _nearest_of_all(doubles, results, target)


@cache
def finite_numbers(element: t.ElementType) -> Array:
    """All non-negative finite numbers of a type, in order."""
    limit = 1 << (element.floating.exponent + element.floating.mantissa)
    if element is t.TF32:
        found = (np.arange(limit, dtype=np.uint32) << np.uint32(13)).view(np.float32)
    else:
        found = np.array([float_value(b, element) for b in range(limit)])
    return found[np.isfinite(found)].astype(np.float64)


def _nearest_of_all(doubles: Array, results: Array, target: t.ElementType) -> None:
    every = finite_numbers(target)
    top = every.max()
    half_ulp = (top - every[-2]) / 2
    for value, result in zip(doubles, results, strict=True):
        if math.isnan(value):
            continue
        if abs(value) >= top + half_ulp:
            wanted = top if target.bits == 8 else math.inf
            assert abs(result) == wanted
            continue
        distance = np.abs(every - abs(value))
        assert abs(abs(result) - abs(value)) == distance.min()
        ties = np.flatnonzero(distance == distance.min())
        if len(ties) == 2:
            assert abs(result) == every[next(k for k in ties if k % 2 == 0)]
        assert math.copysign(1, result) == math.copysign(1, value)


def test_tiny_types() -> None:
    x = np.array([0, -0.0, 0.25, 0.75, 1.25, 2.5, 3.5, 5, 6, 100, -100, np.nan, np.inf, -0.3, 0.26, 1.75], np.float32)

    def build(b: Any, v: Any) -> Any:
        made = b(conversions.FToF(*v, result_types=[t.Tile((16,), t.F4E2M1FN)])).out
        return b(core.Pack(made, result_types=[t.Tile((8,), t.I8)])).out

    packed = apply(build, [(x, t.F32)], t.I8).view(np.uint8)
    nibbles = from_bits(np.stack([packed & 15, packed >> 4], axis=1).ravel(), t.F4E2M1FN)
    wanted = [0, -0.0, 0, 1, 1, 2, 4, 4, 6, 6, -6, 6, 6, -0.5, 0.5, 2]
    np.testing.assert_array_equal(to_double(nibbles, t.F4E2M1FN), wanted)
    y = np.array([1, 1.5, 2.0**-127, 3, 2.0**127, np.nan, 0, 1e-40], np.float32)
    down = convert(y, t.F32, t.F8E8M0FNU, rounding_mode=Rounding.ZERO).view(np.uint8)
    np.testing.assert_array_equal(down, [127, 127, 0, 128, 254, 255, 0, 0])
    up = convert(y, t.F32, t.F8E8M0FNU, rounding_mode=Rounding.POSITIVE_INF).view(np.uint8)
    np.testing.assert_array_equal(up, [127, 128, 0, 129, 254, 255, 0, 0])


@pytest.mark.parametrize("source", INTEGERS, ids=str)
@pytest.mark.parametrize("signedness", Signedness, ids=lambda s: s.value)
def test_integers_to_floats_and_back(source: t.ElementType, signedness: Signedness, seed: int) -> None:
    x = patterns(seed, source)
    bits = [int(b) for b in to_bits(x, source)]
    if signedness is Signedness.SIGNED:
        bits = [b - (1 << source.bits) if b >> (source.bits - 1) else b for b in bits]
    for target in (t.F64, t.F32, t.F16):

        def build(b: Any, v: Any, target: Any = target) -> Any:
            return b(conversions.IToF(v[0], signedness, result_types=[t.Tile(x.shape, target)])).out

        found = apply(build, [(x, source)], target)
        for number, result in zip(bits, to_double(found, target), strict=True):
            exact = float(number)
            if target is t.F64:
                assert result == exact
            elif target is t.F32:
                low, high = np.nextafter(np.float32(result), [-np.inf, np.inf], dtype=np.float32)
                assert all(abs(int(result) - number) <= abs(int(n) - number) for n in (low, high))
            else:
                assert abs(number) > 65519 or result == np.float16(np.float64(exact))

    def back(b: Any, v: Any) -> Any:
        return b(conversions.FToI(v[0], signedness, result_types=[t.Tile(y.shape, source)])).out

    rng = np.random.default_rng(seed)
    limit = 2.0 ** (source.bits - (signedness is Signedness.SIGNED))
    y = rng.random(64) * limit * (1 - 2.0**-50)
    y = -y if signedness is Signedness.SIGNED else y
    found = apply(back, [(y, t.F64)], source, checked=True)
    mask = (1 << source.bits) - 1
    assert to_bits(found, source).tolist() == [v != 0 if source is t.I1 else int(v) & mask for v in y]


def test_float_to_integer_edges() -> None:
    x = np.array([np.nan, np.inf, -np.inf, 127.9, 128.0, -128.9, -129.0, -0.5])

    def build(b: Any, v: Any, saturating: bool = True) -> Any:
        made = conversions.FToI(v[0], Signedness.SIGNED, saturating=saturating, result_types=[t.Tile((8,), t.I8)])
        return b(made).out

    found = apply(build, [(x, t.F64)], t.I8, checked=True)
    np.testing.assert_array_equal(found, [0, 127, -128, 127, 127, -128, -128, 0])
    apply(lambda b, v: build(b, v, False), [(x, t.F64)], t.I8)
    with pytest.raises(KernelError, match=r"converts nan at \[0\] to signed i8"):
        apply(lambda b, v: build(b, v, False), [(x, t.F64)], t.I8, checked=True)


def test_extension_and_truncation(seed: int) -> None:
    for narrow, wide in ((t.I1, t.I8), (t.I8, t.I64), (t.I16, t.I32), (t.I32, t.I64)):
        x = patterns(seed, narrow)
        bits = to_bits(x, narrow).astype(object)
        negative = bits >> (narrow.bits - 1)
        extended = t.Tile(x.shape, wide)
        for signedness in Signedness:

            def build(b: Any, v: Any, signedness: Any = signedness, made: Any = extended) -> Any:
                return b(conversions.ExtI(v[0], signedness, result_types=[made])).out

            found = apply(build, [(x, narrow)], wide)
            value = bits - negative * (1 << narrow.bits) if signedness is Signedness.SIGNED else bits
            assert to_bits(found, wide).tolist() == [int(n) & ((1 << wide.bits) - 1) for n in value]
        y = patterns(seed, wide)

        shortened = t.Tile(y.shape, narrow)

        def cut(b: Any, v: Any, made: Any = shortened, overflow: Any = Overflow.NONE) -> Any:
            return b(conversions.TruncI(*v, overflow=overflow, result_types=[made])).out

        found = apply(cut, [(y, wide)], narrow)
        assert to_bits(found, narrow).tolist() == [int(n) & ((1 << narrow.bits) - 1) for n in to_bits(y, wide)]
        y[:] = from_bits(np.asarray(1 << narrow.bits, np.uint64), wide)
        with pytest.raises(KernelError, match="promises no_unsigned_wrap"):
            apply(lambda b, v: cut(b, v, overflow=Overflow.NO_UNSIGNED_WRAP), [(y, wide)], narrow, checked=True)


@pytest.mark.parametrize("element", [t.I1, t.I16, t.F32, t.BF16, t.F64, t.TF32], ids=str)
def test_pack_and_unpack(element: t.ElementType, seed: int) -> None:
    x = patterns(seed, element, 64)
    width = 32 if element is t.TF32 else element.bits
    packed = t.Tile((64 * width // 8,), t.I8)

    def build(b: Any, v: Any) -> Any:
        return b(core.Pack(*v, result_types=[packed])).out

    found = apply(build, [(x, element)], t.I8)
    raw = np.packbits(x, bitorder="little") if element is t.I1 else x.view(np.uint8)
    np.testing.assert_array_equal(found.view(np.uint8), raw)

    def back(b: Any, v: Any) -> Any:
        return b(core.Unpack(*v, result_types=[t.Tile((64,), element)])).out

    again = apply(back, [(found, t.I8)], element)
    np.testing.assert_array_equal(to_bits(again, element), to_bits(x, element))


def test_nibbles(seed: int) -> None:
    raw = np.random.default_rng(seed).integers(-128, 128, 32).astype(np.int8)

    def build(b: Any, v: Any) -> Any:
        halves = b(core.Unpack(*v, result_types=[t.Tile((64,), t.I4)])).out
        return b(conversions.ExtI(halves, Signedness.SIGNED, result_types=[t.Tile((64,), t.I16)])).out

    found = apply(build, [(raw, t.I8)], t.I16)
    low, high = raw.view(np.uint8) & 15, raw.view(np.uint8) >> 4
    nibbles = np.stack([low, high], axis=1).ravel().astype(np.int16)
    np.testing.assert_array_equal(found, np.where(nibbles > 7, nibbles - 16, nibbles))


def test_bitcast(seed: int) -> None:
    for source, target in ((t.F32, t.I32), (t.I16, t.BF16), (t.F8E5M2, t.I8), (t.I8, t.F8E8M0FNU), (t.F64, t.I64)):
        x = patterns(seed, source)

        type_ = t.Tile(x.shape, target)

        def build(b: Any, v: Any, made: Any = type_) -> Any:
            return b(conversions.Bitcast(*v, result_types=[made])).out

        found = apply(build, [(x, source)], target)
        np.testing.assert_array_equal(to_bits(found, target), to_bits(x, source))


@pytest.mark.parametrize("sign", list(Signedness))
@pytest.mark.parametrize("source", [*WIDE, *SMALL, t.F8E8M0FNU], ids=str)
def test_float_to_i1_says_whether_it_is_not_zero(source: t.ElementType, sign: Signedness, seed: int) -> None:
    """Of every number, subnormal ones, infinities and NaN too, and nothing of that is undefined."""
    x = patterns(seed, source)
    if source.floating.signed:
        zeros, small = from_bits(np.arange(2) << (source.bits - 1), source), from_bits(np.arange(1, 5), source)
        x[:6] = np.concatenate([zeros, small])

    def build(b: Any, v: Any) -> Any:
        return b(conversions.FToI(v[0], sign, result_types=[t.Tile(x.shape, t.I1)])).out

    found = apply(build, [(x, source)], t.I1, checked=True)
    magnitude = to_bits(x, source) & np.uint64((1 << (source.bits - 1)) - 1)
    np.testing.assert_array_equal(found, magnitude != 0 if source.floating.signed else True)


@pytest.mark.parametrize("target", [t.I8, t.I16, t.I32, t.I64], ids=str)
@pytest.mark.parametrize("signedness", list(Signedness))
def test_saturating_conversions_end_at_the_limits(target: t.ElementType, signedness: Signedness) -> None:
    is_signed = signedness is Signedness.SIGNED
    least, top = (-(2 ** (target.bits - 1)), 2 ** (target.bits - 1) - 1) if is_signed else (0, 2**target.bits - 1)
    numbers = {math.inf: top, 1e300: top, 2.0**target.bits: top, -1e300: least, -math.inf: least, math.nan: 0, 7.9: 7}
    numbers |= {-0.9: 0, -3.5: max(least, -3), 100.0: 100}
    x = np.array(list(numbers), np.float64)

    def build(b: Any, v: Any) -> Any:
        return b(conversions.FToI(v[0], signedness, saturating=True, result_types=[t.Tile(x.shape, target)])).out

    found = apply(build, [(x, t.F64)], target)
    assert [int(v) % 2**target.bits for v in found] == [v % 2**target.bits for v in numbers.values()]
