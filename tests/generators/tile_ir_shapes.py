"""Operations on shapes, reductions, scans, matrix products."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from generators.tile_ir_floats import certain, unit
from generators.tile_ir_integers import masked, signedness
from generators.tile_ir_values import DIGITS, F4, Shape, Value, anything, count, has_type, is_float, tile
from generators.tile_ir_writer import Writer, joined

Made = Value | None


def any_value(w: Writer, rank: int = 0) -> Made:
    """A value in scope of at least that rank."""
    found = [v for v in w.pool[-30:] if len(v.shape) >= rank]
    return w.rnd.choice(found) if found else None


def reshape_to(w: Writer, value: Value, shape: Shape) -> Value:
    """The value in another shape of as many elements."""
    if value.shape == shape:
        return value
    return w.define(f"reshape {value.name} : {value.type} -> {tile(value.element, shape)}", value.shaped(shape))


def split(w: Writer, size: int) -> Shape:
    """A random shape of that many elements."""
    shape: list[int] = []
    rest = size
    while rest > 1 and len(shape) < 3:
        part = 1 << w.rnd.randint(0, rest.bit_length() - 1)
        shape.append(part)
        rest //= part
    if rest > 1:
        shape[-1] *= rest
    if not shape or w.chance(0.2):
        shape.insert(w.rnd.randint(0, len(shape)), 1)
    return tuple(shape)


def _reshape(w: Writer) -> Made:
    value = any_value(w)
    return value and reshape_to(w, value, split(w, count(value.shape)))


def _broadcast(w: Writer) -> Made:
    value = any_value(w)
    if value is None:
        return None
    if 1 not in value.shape:
        value = reshape_to(w, value, (*value.shape, 1) if w.chance(0.5) else (1, *value.shape))
    room = max(1, 32 // count(value.shape))
    shape = tuple(1 << w.rnd.randint(0, room.bit_length() - 1) if n == 1 else n for n in value.shape)
    if count(shape) > 64 or len(shape) > 4:
        return None
    return w.define(f"broadcast {value.name} : {value.type} -> {tile(value.element, shape)}", value.shaped(shape))


def _permute(w: Writer) -> Made:
    value = any_value(w, 2)
    if value is None:
        return None
    order = w.rnd.sample(range(len(value.shape)), len(value.shape))
    shape = tuple(value.shape[k] for k in order)
    return w.define(f"permute {value.name} {order} : {value.type} -> {tile(value.element, shape)}", value.shaped(shape))


def _cat(w: Writer) -> Made:
    a = any_value(w, 1)
    if a is None or count(a.shape) > 32:
        return None
    b = w.pick(a.element, a.shape)
    dim = w.rnd.randrange(len(a.shape))
    shape = tuple(2 * n if k == dim else n for k, n in enumerate(a.shape))
    text = f"cat {a.name}, {b.name} dim = {dim} : {a.type}, {b.type} -> {tile(a.element, shape)}"
    return w.define(text, joined([a, b], a.element, shape))


def _slice_index(w: Writer, slices: int) -> Value:
    """A scalar that numbers a slice: a constant, or known to the launch only."""
    scalars = w.candidates("i32", ())
    if scalars and w.chance(0.4):
        return masked(w, w.rnd.choice(scalars), slices - 1)
    return w.constant("i32", w.rnd.randrange(slices))


def _slices(w: Writer, value: Value) -> tuple[Shape, str]:
    """A smaller shape, and the index of one such part."""
    shape = tuple(1 << w.rnd.randint(0, n.bit_length() - 1) for n in value.shape)
    index = ", ".join(_slice_index(w, n // m).name for n, m in zip(value.shape, shape, strict=True))
    return shape, index


def _extract(w: Writer) -> Made:
    value = any_value(w, 1)
    if value is None:
        return None
    shape, index = _slices(w, value)
    if not has_type(value.element, shape):
        return None
    text = f"extract {value.name}[{index}] : {value.type} -> {tile(value.element, shape)}"
    return w.define(text, value.shaped(shape))


def _insert(w: Writer) -> Made:
    value = any_value(w, 1)
    if value is None:
        return None
    shape, index = _slices(w, value)
    if not has_type(value.element, shape):
        return None
    part = w.pick(value.element, shape)
    text = f"insert {part.name}, {value.name}[{index}] : {part.type}, {value.type}"
    return w.define(text, joined([value, part], value.element, value.shape))


def _select(w: Writer) -> Made:
    a = any_value(w)
    if a is None or a.element == F4:
        return None
    b, condition = w.pick(a.element, a.shape), w.pick("i1", a.shape)
    text = f"select {condition.name}, {a.name}, {b.name} : {condition.type}, {a.type}"
    return w.define(text, joined([a, b], a.element, a.shape))


_PACKED = {"i1": 1, "i4": 4, F4: 4, "i16": 16, "f16": 16, "bf16": 16, "i32": 32, "f32": 32, "tf32": 32, "i64": 64,
           "f64": 64}  # fmt: skip
"""Bits of an element among bytes."""


def _pack(w: Writer) -> Made:
    value = any_value(w, 1)
    if value is None or value.element not in _PACKED or not value.exact:
        return None
    bits = count(value.shape) * _PACKED[value.element]
    if bits % 8 or (is_float(value.element) and not value.finite):
        return None
    flat = reshape_to(w, value, (count(value.shape),))
    bytes_ = w.define(f"pack {flat.name} : {flat.type} -> {tile('i8', (bits // 8,))}", anything("", "i8", (bits // 8,)))
    return bytes_ if w.chance(0.5) else _unpack(w, bytes_, bits)


def _unpack(w: Writer, bytes_: Value, bits: int) -> Value:
    element = w.rnd.choice([e for e, n in _PACKED.items() if bits % n == 0 and e != "tf32"])
    shape = (bits // _PACKED[element],)
    if element == "i4":
        name = w.fresh("n")
        w.emit(f"{name} = unpack {bytes_.name} : {bytes_.type} -> {tile('i4', shape)}")
        known = Value("", "i8", shape, -8, 7)
        return w.define(f"exti {name} signed : {tile('i4', shape)} -> {known.type}", known)
    known = anything("", element, shape)
    return w.define(f"unpack {bytes_.name} : {bytes_.type} -> {known.type}", known)


def shape_operation(w: Writer) -> Made:
    """One of them, on a value in scope."""
    kinds: list[Callable[[Writer], Made]] = [_reshape, _broadcast, _permute, _cat, _extract, _select]
    if w.chance(0.15):
        kinds = [_pack, _insert]
    return w.rnd.choice(kinds)(w)


# Matrix products

_FACTORS = {
    "f8E4M3FN": ("f16", "f32"),
    "f8E5M2": ("f16", "f32"),
    "f16": ("f16", "f32"),
    "bf16": ("f32",),
    "tf32": ("f32",),
    "f32": ("f32",),
    "f64": ("f64",),
}


def product(w: Writer) -> Made:
    """A product of small matrices, whose sums are exact or known up to rounding."""
    m, n, k = (1 << w.rnd.randint(0, 3) for _ in range(3))
    batch = (1 << w.rnd.randint(0, 1),) if w.chance(0.25) else ()
    if w.chance(0.3):
        a, b, c = (w.pick(e, (*batch, *s)) for e, s in (("i8", (m, k)), ("i8", (k, n)), ("i32", (m, n))))
        signs = f"{signedness(w)} {signedness(w)}"
        known = anything("", "i32", c.shape)
        return w.define(f"mmai {a.name}, {b.name}, {c.name} {signs} : {a.type}, {b.type}, {c.type}", known)
    element = w.rnd.choice(list(_FACTORS))
    sums = w.rnd.choice(_FACTORS[element])
    a, b = (w.pick(element, (*batch, *s), certain) for s in ((m, k), (k, n)))
    c = w.pick(sums, (*batch, m, n), certain)
    total = k * a.magnitude * b.magnitude + c.magnitude
    if not (a.finite and b.finite and c.finite and total <= 60000):
        return None
    known = Value("", sums, c.shape, -total, total, zeros=True)
    if a.whole and b.whole and c.whole and total <= 2.0 ** DIGITS[sums]:
        known = replace(known, whole=True)
    elif min(a.low, b.low, c.low) >= 0:
        known = replace(known, low=0.0, error=2 * (k + 2) * unit(sums))
    else:
        return None
    return w.define(f"mmaf {a.name}, {b.name}, {c.name} : {a.type}, {b.type}, {c.type}", known)
