"""Random conversions between element types, whose results are defined."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

from generators.tile_ir_floats import certain, exact, known_as, tame, unit
from generators.tile_ir_integers import bounded, signedness
from generators.tile_ir_values import (
    BITS,
    CODED,
    DIGITS,
    F4,
    FLOATS,
    INTEGERS,
    LARGEST,
    Shape,
    Value,
    anything,
    count,
    has_type,
    is_float,
    limits,
    tile,
)
from generators.tile_ir_writer import Writer

SMALL = ("tf32", "f8E4M3FN", "f8E5M2", "f8E8M0FNU", CODED, F4)
_SAME_BITS = {
    "i8": ["f8E4M3FN", "f8E5M2", "f8E8M0FNU", CODED],
    "i16": ["f16", "bf16"],
    "i32": ["f32"],
    "i64": ["f64"],
    "f16": ["i16", "bf16"],
    "bf16": ["i16", "f16"],
    "f32": ["i32"],
    "f64": ["i64"],
    "f8E4M3FN": ["i8", "f8E5M2"],
    "f8E5M2": ["i8", "f8E4M3FN"],
    "f8E8M0FNU": ["i8"],
    CODED: ["i8", "f8E5M2"],
}


def _source(w: Writer, elements: Sequence[str], shape: Shape, fits: Callable[[Value], bool] = lambda v: True) -> Value:
    """A value of one of these types, preferably one that there is."""
    elements = [e for e in elements if has_type(e, shape)]
    there = sorted({v.element for v in w.pool if v.shape == shape and fits(v)}.intersection(elements))
    return w.pick(w.rnd.choice(there if there and w.chance(0.9) else elements), shape, fits)


def _extend(w: Writer, element: str, shape: Shape) -> Value | None:
    narrower = [e for e in ("i1", *INTEGERS) if BITS[e] < BITS[element]]
    if not narrower:
        return None
    source, sign = _source(w, narrower, shape), signedness(w)
    known = anything("", element, shape)
    if source.element == "i1":
        known = Value("", element, shape, -1, 0) if sign == "signed" else Value("", element, shape, 0, 1)
    elif sign == "signed" or source.low >= 0:
        known = Value("", element, shape, source.low, source.high)
    else:
        known = Value("", element, shape, 0, (1 << BITS[source.element]) - 1)
    return w.define(f"exti {source.name} {sign} : {source.type} -> {known.type}", known)


def _by_four_bits(w: Writer, element: str, shape: Shape) -> Value | None:
    """Cut to i4 and extended again."""
    source, sign = w.pick(element, shape), signedness(w)
    nibble = w.fresh("n")
    type_ = tile("i4", shape)
    w.emit(f"{nibble} = trunci {source.name} : {source.type} -> {type_}")
    low, high = (-8, 7) if sign == "signed" else (0, 15)
    known = Value("", element, shape, low, high)
    return w.define(f"exti {nibble} {sign} : {type_} -> {known.type}", known)


def _truncate(w: Writer, element: str, shape: Shape) -> Value | None:
    wider = [e for e in INTEGERS if BITS[e] > BITS[element]]
    if not wider:
        return _by_four_bits(w, element, shape)
    source = _source(w, wider, shape)
    known = bounded("", element, shape, (source.low, source.high))
    low, high = limits(element)
    promises = [""]
    if low <= source.low and source.high <= high:
        promises.append(" overflow<no_signed_wrap>")
    if source.low >= 0 and source.high < 1 << BITS[element]:
        promises.append(" overflow<no_unsigned_wrap>")
    if len(promises) == 3:
        promises.append(" overflow<no_wrap>")
    return w.define(f"trunci {source.name}{w.rnd.choice(promises)} : {source.type} -> {known.type}", known)


def _from_float(w: Writer, element: str, shape: Shape) -> Value | None:
    source = _source(w, [*FLOATS, *(SMALL if w.chance(0.3) else ())], shape, certain)
    sign = signedness(w)
    low, high = limits(element) if element != "i1" else (-1, 0)
    if sign == "unsigned":
        low, high = 0, (1 << BITS[element]) - 1
    if not (source.finite and low - 1 < source.low and source.high < high + 1):
        if source.element not in FLOATS:
            return None
        bottom = min(float(-low), 100.0)
        source = tame(w, source, -bottom, min(float(high), 100.0) if element != "i64" else 100.0)
    known = anything("", element, shape)
    if element != "i1" and (sign == "signed" or source.high <= limits(element)[1]):
        known = Value("", element, shape, math.trunc(source.low), math.trunc(source.high))
    return w.define(f"ftoi {source.name} {sign} : {source.type} -> {known.type}", known)


def _from_integer(w: Writer, element: str, shape: Shape) -> Value | None:
    if element == "f8E8M0FNU":
        return None
    source, sign = _source(w, ["i1", *INTEGERS], shape), signedness(w)
    if source.element == "i1":
        bounds = (-1.0, 0.0) if sign == "signed" else (0.0, 1.0)
    elif sign == "signed" or source.low >= 0:
        bounds = float(source.low), float(source.high)
    else:
        bounds = 0.0, 2.0 ** BITS[source.element]
    known = known_as(element, shape, bounds, max(map(abs, bounds)) <= 2.0 ** DIGITS[element])
    return w.define(f"itof {source.name} {sign} : {source.type} -> {known.type}", known)


_ROUNDINGS = {
    "f16": ("zero",),
    "bf16": ("zero",),
    "tf32": ("zero",),
    "f32": ("zero", "negative_inf", "positive_inf"),
}
"""Of conversions from f64, besides that to nearest even."""


def _rounding(w: Writer, source: Value, element: str) -> str:
    if source.error or source.element != "f64" or element not in _ROUNDINGS or w.chance(0.5):
        return ""
    return f" rounding<{w.rnd.choice(_ROUNDINGS[element])}>"


def _between_floats(w: Writer, element: str, shape: Shape) -> Value | None:
    sources = [e for e in (*FLOATS, *(SMALL if w.chance(0.3) else ())) if e != element]
    if element == "f8E8M0FNU":
        return _power_of_two(w, shape)
    source = _source(w, sources, shape)
    if source.error and DIGITS[element] > DIGITS[source.element]:
        return None
    if source.error and element in SMALL:
        return None
    known = replace(anything("", element, shape), zeros=source.zeros)
    if source.finite and source.magnitude <= LARGEST[element]:
        whole = source.whole and source.magnitude <= 2.0 ** DIGITS[element]
        known = replace(known_as(element, shape, (source.low, source.high), whole), zeros=source.zeros)
    if source.error:
        known = replace(known, error=source.error + unit(element))
    rounding = _rounding(w, source, element)
    return w.define(f"ftof {source.name}{rounding} : {source.type} -> {known.type}", known)


def _power_of_two(w: Writer, shape: Shape) -> Value | None:
    source = tame(w, _source(w, FLOATS, shape, certain), 0.25, 16)
    known = Value("", "f8E8M0FNU", shape, 0.125, 32)
    mode = w.rnd.choice(["zero", "positive_inf"])
    return w.define(f"ftof {source.name} rounding<{mode}> : {source.type} -> {known.type}", known)


def _same_bits(w: Writer, element: str, shape: Shape) -> Value | None:
    if element not in _SAME_BITS:
        return None
    source = _source(w, _SAME_BITS[element], shape, exact)
    if not source.exact or (is_float(source.element) and not source.finite):
        return None
    known = anything("", element, shape)
    return w.define(f"bitcast {source.name} : {source.type} -> {known.type}", known)


def addressable(w: Writer, value: Value) -> Value:
    """The value in a form that pointers lead to: two elements of four bits as a byte."""
    if value.element != F4:
        return value
    if not value.exact:
        wide = replace(value, element="f32")
        return w.define(f"ftof {value.name} : {value.type} -> {wide.type}", wide)
    flat = value.shaped((count(value.shape),))
    if value.shape != flat.shape:
        flat = w.define(f"reshape {value.name} : {value.type} -> {flat.type}", flat)
    known = anything("", "i8", (flat.shape[0] // 2,))
    return w.define(f"pack {flat.name} : {flat.type} -> {known.type}", known)


def from_bytes(w: Writer, bytes_: Value, shape: Shape) -> Value:
    """Elements of four bits out of half as many bytes in a row."""
    known = anything("", F4, (count(shape),))
    flat = w.define(f"unpack {bytes_.name} : {bytes_.type} -> {known.type}", known)
    if shape == flat.shape:
        return flat
    return w.define(f"reshape {flat.name} : {flat.type} -> {tile(F4, shape)}", flat.shaped(shape))


def conversion(w: Writer, element: str, shape: Shape, known: bool = False) -> Value | None:
    """A value of that type by a conversion, if there is one here; `known`: only from what is in scope."""
    if not has_type(element, shape):
        return None
    if known and not any(v.shape == shape and v.element != element for v in w.pool):
        return None
    if element == "i1":
        kinds = [_truncate, _from_float]
    elif is_float(element):
        kinds = [_from_integer, _between_floats, _between_floats, _same_bits]
    else:
        kinds = [_extend, _truncate, _from_float, _same_bits, _by_four_bits]
    return w.rnd.choice(kinds)(w, element, shape)
