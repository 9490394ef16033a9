"""Rarer operations: promises about values, powers, saturating conversions, scaled products, sizes of tensors."""

from __future__ import annotations

from dataclasses import replace

from generators.tile_ir_floats import certain, tame, unit
from generators.tile_ir_integers import masked, signedness
from generators.tile_ir_values import FLOATS, INTEGERS, Value, anything, tile
from generators.tile_ir_writer import Writer

Made = Value | None


def _assume(w: Writer) -> Made:
    """A promise that holds, of an integer in scope."""
    found = [v for v in w.pool[-30:] if v.element in INTEGERS]
    if not found:
        return None
    value = w.rnd.choice(found)
    low = "?" if w.chance(0.3) else str(int(value.low))
    high = "?" if w.chance(0.3) else str(int(value.high))
    promise = f"bounded<{low}, {high}>"
    if value.low == value.high and w.chance(0.7):
        number = abs(int(value.low)) or 1 << 10
        promise = f"div_by<{number & -number}>"
        if value.shape and w.chance(0.4):
            promise = f"same_elements<[{', '.join(str(w.rnd.randint(1, n)) for n in value.shape)}]>"
    return w.define(f"assume {promise}, {value.name} : {value.type}", value)


def _power(w: Writer) -> Made:
    shape, element = w.rnd.choice(w.shapes), w.rnd.choice(FLOATS)
    base = tame(w, w.pick(element, shape, certain))
    exponent = masked(w, w.pick(w.rnd.choice(["i8", "i16", "i32"]), shape), 7)
    if w.chance(0.3):
        exponent = w.define(f"negi {exponent.name} : {exponent.type}", replace(exponent, low=-7, high=0))
    known = replace(anything("", element, shape), error=10 * unit(element))
    return w.define(f"fpowi {base.name}, {exponent.name} : {base.type}, {exponent.type}", known)


def _saturating(w: Writer) -> Made:
    """Any number at all to an integer."""
    shape, element = w.rnd.choice(w.shapes), w.rnd.choice(INTEGERS)
    source, sign = w.pick(w.rnd.choice(FLOATS), shape, certain), signedness(w)
    known = anything("", element, shape)
    return w.define(f"ftoi {source.name} {sign} saturating : {source.type} -> {known.type}", known)


def _scaled(w: Writer) -> Made:
    """A product of small whole numbers with powers of two as scales."""
    m, n = (1 << w.rnd.randint(0, 2) for _ in range(2))
    blocks = w.rnd.choice([1, 2])
    element = w.rnd.choice(["f8E4M3FN", "f8E5M2"])
    k = 32 * blocks
    a, b = w.pick(element, (m, k), certain), w.pick(element, (k, n), certain)
    c = w.pick("f32", (m, n), certain)
    scales = [w.constants("f8E8M0FNU", s) for s in ((m, blocks), (blocks, n))]
    total = k * 16 * a.magnitude * b.magnitude + c.magnitude
    # The least product of scales is a quarter: what is exact in quarters is exact.
    if not (a.finite and b.finite and c.finite and a.whole and b.whole and c.whole and 4 * total <= 2.0**24):
        return None
    known = Value("", "f32", (m, n), -total, total, zeros=True)
    operands = [a, b, c, *scales]
    text = f"mmaf_scaled {', '.join(v.name for v in operands)} : {', '.join(v.type for v in operands)}"
    return w.define(text, known)


def _addresses(w: Writer) -> Made:
    """Whether two pointers are what they were after a detour by integers."""
    names = [p.split(":")[0] for p in w.parameters if "ptr<" in p]
    if not names:
        return None
    name = w.rnd.choice(names)
    parameter = next(p for p in w.parameters if p.startswith(f"{name}:"))
    type_ = parameter.split(": ")[1]
    first, again, second = (w.fresh("a") for _ in range(3))
    integer = tile("i64", ())
    w.emit(f"{first} = ptr_to_int {name} : {type_} -> {integer}")
    w.emit(f"{again} = int_to_ptr {first} : {integer} -> tile<ptr<i16>>")
    w.emit(f"{second} = ptr_to_int {again} : tile<ptr<i16>> -> {integer}")
    difference = Value("", "i64", (), 0, 0)
    return w.define(f"subi {second}, {first} : {integer}", difference)


def extra(w: Writer) -> Made:
    """One of them."""
    return w.rnd.choice([_assume, _assume, _assume, _power, _saturating, _scaled, _addresses])(w)
