"""Rarer operations: promises about values, powers, saturating conversions, scaled products, memory of its own."""

from __future__ import annotations

from dataclasses import replace

from generators.tile_ir_floats import certain, tame, unit
from generators.tile_ir_integers import masked, signedness
from generators.tile_ir_statics import detour
from generators.tile_ir_values import F4, FLOATS, INTEGERS, Value, anything, tile
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
        promise = f"div_by<{min(number & -number, 1 << 62)}>"
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
    """A product of small numbers with powers of two as scales."""
    m, n, blocks = 1 << w.rnd.randint(0, 2), 1 << w.rnd.randint(0, 2), w.rnd.choice([1, 2])
    element = w.rnd.choice(["f8E4M3FN", "f8E5M2", F4, F4])
    scale = w.rnd.choice(["f8E8M0FNU", "f8E4M3FN"]) if element == F4 else "f8E8M0FNU"
    k = blocks * (16 if scale == "f8E4M3FN" or (element == F4 and w.chance(0.5)) else 32)
    a, b = w.pick(element, (m, k), certain), w.pick(element, (k, n), certain)
    c = w.pick("f32", (m, n), certain)
    sizes = (m, blocks), (blocks, n)
    scales = [w.constant(scale, w.rnd.choice([0.5, 1.0, 2.0, 4.0]), s) for s in sizes]
    if scale == "f8E8M0FNU":
        scales = [w.constants(scale, s) for s in sizes]
    total = k * 16 * a.magnitude * b.magnitude + c.magnitude
    # Products are multiples of a quarter if the numbers are whole or have four bits, and so are those of scales.
    if not all(v.finite and (v.whole or v.element == F4) for v in (a, b, c)) or 16 * total > 2.0**24:
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


def _order(w: Writer) -> Made:
    """What only orders: dependent launches, a fence."""
    before, token = w.token(), w.fresh("t")
    if before and w.chance(0.4):
        w.emit(f"{token} = memory_fence_alias_tko {before.removeprefix(' token=')}")
    else:
        w.emit(f"{token} = {w.rnd.choice(['gdc_launch_dependents_tko', 'gdc_wait_tko'])}{before} -> token")
    w.tokens.append(token)
    return None


_EXTRAS = (_assume, _assume, _assume, _power, _saturating, _scaled, _addresses, _order, detour, detour)


def extra(w: Writer) -> Made:
    """One of them."""
    return w.rnd.choice(_EXTRAS)(w)
