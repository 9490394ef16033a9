"""Loads, stores and atomics through tiles of pointers. Every tile block has a part of each array to itself."""

from __future__ import annotations

import math
from dataclasses import replace

from generators.tile_ir_conversions import addressable
from generators.tile_ir_floats import certain, exact, settled
from generators.tile_ir_integers import masked
from generators.tile_ir_values import DIGITS, DTYPES, Shape, Value, anything, count, is_float, limits, tile
from generators.tile_ir_writer import Output, Positions, Writer, joined


def iota(w: Writer, shape: Shape, element: str) -> Value:
    """Row-major positions in a tile."""
    size = count(shape)
    if not shape:
        return w.constant(element, 0)
    flat = w.define(f"iota : {tile(element, (size,))}", Value("", element, (size,), 0, size - 1))
    if shape == flat.shape:
        return flat
    return w.define(f"reshape {flat.name} : {flat.type} -> {tile(element, shape)}", flat.shaped(shape))


def _along(w: Writer, shape: Shape, dim: int, element: str) -> Value:
    """Positions along a dimension."""
    size = shape[dim]
    flat = w.define(f"iota : {tile(element, (size,))}", Value("", element, (size,), 0, size - 1))
    ones = tuple(size if k == dim else 1 for k in range(len(shape)))
    line = w.define(f"reshape {flat.name} : {flat.type} -> {tile(element, ones)}", flat.shaped(ones))
    return w.define(f"broadcast {line.name} : {line.type} -> {tile(element, shape)}", flat.shaped(shape))


def _times(w: Writer, value: Value, factor: int) -> Value:
    by = w.constant(value.element, factor, value.shape)
    known = replace(value, low=value.low * factor, high=value.high * factor)
    return w.define(f"muli {value.name}, {by.name} : {value.type}", known)


def _plus(w: Writer, a: Value, b: Value) -> Value:
    known = replace(a, low=a.low + b.low, high=a.high + b.high)
    return w.define(f"addi {a.name}, {b.name} : {a.type}", known)


def positions(w: Writer, shape: Shape, unique: bool) -> Positions:
    """Contiguous ones, rows with gaps, a permutation, or any at all unless they must be `unique`."""
    names = {v.name for v in w.pool}
    there = [p for p in w.positions if p.value.shape == shape and p.value.name in names and (p.unique or not unique)]
    if there and w.chance(0.7):
        return w.rnd.choice(there)
    found = _positions(w, shape, unique)
    w.positions.append(found)
    return found


def _positions(w: Writer, shape: Shape, unique: bool) -> Positions:
    element = w.rnd.choice(["i32", "i32", "i64"])
    size = count(shape)
    kind = w.rnd.choice(["packed", "packed", "packed", "strided", "turned", "any"])
    if kind == "strided" and len(shape) > 1:
        row = math.prod(shape[1:]) + w.rnd.randint(0, 3)
        total = _times(w, _along(w, shape, 0, element), row)
        inner = row
        for dim in range(1, len(shape)):
            inner = math.prod(shape[dim + 1 :])
            along = _along(w, shape, dim, element)
            total = _plus(w, total, along if inner == 1 else _times(w, along, inner))
        return Positions(total, row * shape[0], True)
    found = iota(w, shape, element)
    if kind == "turned":
        turn = w.constant(element, w.rnd.randint(0, size - 1), shape)
        found = w.define(f"xori {found.name}, {turn.name} : {found.type}", found)
    elif kind == "any" and not unique:
        chosen = w.candidates(element, shape)
        if chosen:
            return Positions(masked(w, w.rnd.choice(chosen), size - 1), size, False)
    return Positions(found, size, True)


def part(w: Writer, at: Positions) -> Value:
    """Offsets in the whole array, of which each tile block has a part."""
    return at.value if w.blocks == 1 else of_this_block(w, at.value, at.size)


def of_this_block(w: Writer, value: Value, size: int) -> Value:
    """Positions in the part of this tile block, where each has `size`."""
    block = next(v for v in w.pool if v.name == "%block")
    element = value.element
    if element != "i32":
        text = f"exti {block.name} unsigned : tile<i32> -> {tile(element, ())}"
        block = w.define(text, replace(block, element=element))
    return _plus(w, value, w.broadcast(_times(w, block, size), value.shape))


def pointers(w: Writer, base: str, element: str, at: Value) -> str:
    """Pointers at offsets from one, which may be counted in bytes."""
    size = DTYPES[element].itemsize
    if w.chance(0.08) and at.high * size <= limits(at.element)[1]:
        found = _pointers(w, _as(w, base, element, "i8", ()), "i8", _times(w, at, size))
        return _as(w, found, "i8", element, at.shape)
    return _pointers(w, base, element, at)


def _as(w: Writer, pointer: str, element: str, other: str, shape: Shape) -> str:
    """The same address of other elements."""
    if element == other:
        return pointer
    name = w.fresh("q")
    w.emit(f"{name} = ptr_to_ptr {pointer} : {tile(f'ptr<{element}>', shape)} -> {tile(f'ptr<{other}>', shape)}")
    return name


def _pointers(w: Writer, base: str, element: str, at: Value) -> str:
    spelled, shape, name = f"ptr<{element}>", at.shape, base
    if shape:
        ones = (1,) * len(shape)
        name = w.fresh("q")
        w.emit(f"{name} = reshape {base} : {tile(spelled, ())} -> {tile(spelled, ones)}")
        if shape != ones:
            wide = w.fresh("q")
            w.emit(f"{wide} = broadcast {name} : {tile(spelled, ones)} -> {tile(spelled, shape)}")
            name = wide
    found = w.fresh("q")
    type_ = tile(spelled, shape)
    w.emit(f"{found} = offset {name}, {at.name} : {type_}, {at.type} -> {type_}")
    return found


def _below(w: Writer, at: Value, end: int) -> Value:
    """Which positions come before an end."""
    top = w.constant(at.element, end, at.shape)
    known = anything("", "i1", at.shape)
    order = w.rnd.choice(["signed", "unsigned"])
    return w.define(f"cmpi less_than {at.name}, {top.name}, {order} : {at.type} -> {known.type}", known)


def ordering(w: Writer, strong: str) -> str:
    """Mostly weak."""
    if w.chance(0.85):
        return "weak"
    return f"{w.rnd.choice(w.orders('relaxed', strong))} {w.rnd.choice(['tl_blk', 'device', 'sys'])}"


def kind_of_data(w: Writer) -> str:
    """How wild the numbers of an array are."""
    return w.rnd.choice(["small", "small", "unit", "any"])


def load(w: Writer, element: str, shape: Shape) -> Value:
    """A tile of data."""
    at = positions(w, shape, False)
    offsets = part(w, at)
    size = at.size * w.blocks
    mask = padding = None
    if w.chance(0.3):
        if w.chance(0.6):
            # What lies behind the end is not there at all.
            size = w.rnd.randint(1, size)
            mask = _below(w, offsets, size)
        else:
            mask = w.pick("i1", shape)
        padding = w.pick(element, shape) if w.chance(0.6) else None
    array, known = w.data_value(element, shape, kind_of_data(w), size)
    places = pointers(w, w.source(element, array), element, offsets)
    types = tile(f"ptr<{element}>", shape)
    operands = places
    for operand in (mask, padding):
        if operand is not None:
            operands += f", {operand.name}"
            types += f", {operand.type}"
    name, token = w.fresh(), w.fresh("t")
    before = w.token()
    w.emit(
        f"{name}, {token} = load_ptr_tko {ordering(w, 'acquire')} {operands}{before} : {types} -> {known.type}, token"
    )
    w.tokens.append(token)
    if mask is None or padding is not None:
        found = known.named(name) if padding is None else joined([known, padding], element, shape).named(name)
        w.pool.append(found)
        return found
    # Without padding the masked elements may be anything.
    other = w.pick(element, shape)
    text = f"select {mask.name}, {name}, {other.name} : {mask.type}, {known.type}"
    return w.define(text, joined([known, other], element, shape))


def store(w: Writer, value: Value, after: str | None = None) -> str:
    """A tile of results to memory of its own, perhaps twice, perhaps read in between. The last token.

    `after` is what a store in a loop needs: the token of the iteration before.
    """
    value = addressable(w, value)
    shape = value.shape
    at = positions(w, shape, True)
    offsets = part(w, at)
    base, output = w.output(value.element, at.size * w.blocks + w.rnd.choice([0, 3]), value)
    places = pointers(w, base, value.element, offsets)
    before = w.token() if after is None else f" token={after}"
    token = store_through(w, places, value, w.pick("i1", shape) if w.chance(0.2) else None, before)
    if w.chance(0.15):
        again = w.pick(value.element, shape)
        w.widen(output, again)
        token = store_through(w, places, again, w.pick("i1", shape), f" token={token}")
        if value.exact and again.exact and w.chance(0.5):
            token = read_back(w, places, anything("", value.element, shape), token)
    w.tokens.append(token)
    return token


def read_back(w: Writer, places: str, known: Value, token: str) -> str:
    """Loads what was stored before a token. The token behind."""
    name, following = load_through(w, places, known, f" token={token}")
    w.pool.append(known.named(name))
    return following


def load_through(w: Writer, places: str, known: Value, before: str) -> tuple[str, str]:
    """A weak load from pointers. Its name and its token."""
    name, token = w.fresh(), w.fresh("t")
    types = tile(f"ptr<{known.element}>", known.shape)
    w.emit(f"{name}, {token} = load_ptr_tko weak {places}{before} : {types} -> {known.type}, token")
    return name, token


def store_through(w: Writer, places: str, value: Value, mask: Value | None, before: str, weak: bool = False) -> str:
    """A store to pointers, mostly weak or surely. Its token."""
    token = w.fresh("t")
    types = f"{tile(f'ptr<{value.element}>', value.shape)}, {value.type}"
    operands = f"{places}, {value.name}"
    if mask is not None:
        operands, types = f"{operands}, {mask.name}", f"{types}, {mask.type}"
    order = "weak" if weak else ordering(w, "release")
    w.emit(f"{token} = store_ptr_tko {order} {operands}{before} : {types} -> token")
    return token


# Atomics

_MODES = ("and", "or", "xor", "add", "max", "min", "umax", "umin")


def atomic(w: Writer, shape: Shape) -> None:
    """An update of initialised memory; the old values are used where no two elements share an address."""
    element = w.rnd.choice(["i32", "i64", "f32", "f64", "f16", "bf16"])
    at = positions(w, shape, w.chance(0.5))
    offsets = part(w, at) if at.unique or w.chance(0.5) else at.value
    alone = at.unique and not w.loops
    swap = alone and element not in ("f16", "bf16") and w.chance(0.3)
    terms = count(shape) * w.blocks * 64**w.loops
    value = settled(w, w.pick(element, shape, certain))
    if is_float(element) and not swap and not (value.whole and terms * value.magnitude + 8 <= 2.0 ** DIGITS[element]):
        return
    if not value.exact:
        return
    base, known = _updated(w, element, shape, at.size * w.blocks)
    places = pointers(w, base, element, offsets)
    mask = w.pick("i1", shape) if w.chance(0.3) else None
    expected = w.pick(element, shape, exact) if swap and w.chance(0.5) else None
    if expected is not None and not expected.exact:
        return
    name, token = w.fresh(), w.fresh("t")
    order = w.rnd.choice(w.orders("relaxed", "acquire", "release", "acq_rel"))
    scope = w.rnd.choice(["tl_blk", "device", "sys"])
    types = ", ".join([tile(f"ptr<{element}>", shape), value.type, *([mask.type] if mask else [])])
    tail = (f", {mask.name}" if mask else "") + w.token() + f" : {types} -> {value.type}, token"
    if expected is not None:
        w.emit(f"{name}, {token} = atomic_cas_tko {order} {scope} {places}, {expected.name}, {value.name}{tail}")
    else:
        mode = "xchg" if swap else "addf" if is_float(element) else w.rnd.choice(_MODES)
        w.emit(f"{name}, {token} = atomic_rmw_tko {order} {scope} {places}, {mode}, {value.name}{tail}")
    w.tokens.append(token)
    if not alone:
        return
    if expected is not None:
        w.pool.append(joined([known, expected], element, shape).named(name))
    elif mask is None:
        w.pool.append(known.named(name))
    else:
        other = w.pick(element, shape)
        text = f"select {mask.name}, {name}, {other.name} : {mask.type}, {value.type}"
        w.define(text, joined([known, other], element, shape))


def _updated(w: Writer, element: str, shape: Shape, size: int) -> tuple[str, Value]:
    """Memory of small numbers that is compared afterwards."""
    array, known = w.data_value(element, shape, "small", size)
    base = w.pointer(element, array)
    w.outputs.append(Output(len(w.arguments) - 1, element, 0.0, zeros=True))
    return base, known
