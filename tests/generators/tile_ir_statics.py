"""Detours through memory that the kernel has itself: globals of the module and allocations."""

from __future__ import annotations

from dataclasses import dataclass

from generators import tile_ir_views as views
from generators.tile_ir_memory import iota, part, pointers, positions, read_back, store_through
from generators.tile_ir_values import DTYPES, F4, Value, count, tile
from generators.tile_ir_writer import MOST_LITERALS, Positions, Writer, joined

Made = Value | None


@dataclass(frozen=True, slots=True)
class Place:
    """Memory for a tile: a pointer, positions behind it, and what is known of the elements before any store."""

    base: str
    offsets: Value
    known: Value | None
    rows: bool


def _allocated(w: Writer, value: Value, at: Positions) -> Place:
    """Uninitialised memory."""
    natural = DTYPES[value.element].itemsize
    alignment = natural << w.rnd.randint(0, 5)
    name, size = w.fresh("m"), at.size + w.rnd.choice([0, 0, 3])
    words = " global" if w.chance(0.3) else ""
    type_ = tile(f"ptr<{value.element}>", ())
    w.emit(f"{name} = alloca num_elem = {size}, alignment = {alignment}{words} : {type_}")
    return Place(name, at.value, None, True)


def _in_global(w: Writer, value: Value, at: Positions) -> Place:
    """A part of a global for each tile block."""
    size = 1 << (at.size * w.blocks - 1).bit_length()
    array, known = w.data_value(value.element, value.shape, w.rnd.choice(["small", "unit", "any"]), size)
    return Place(w.global_(value.element, array, False), part(w, at), known, w.blocks == 1)


def detour(w: Writer) -> Made:
    """A value in scope, stored and loaded again: by pointers or a view each time."""
    fits = [v for v in w.pool[-30:] if v.element != F4 and count(v.shape) <= 64]
    if not fits:
        return None
    value = w.rnd.choice(fits)
    packed = w.chance(0.5)
    at = Positions(iota(w, value.shape, "i32"), count(value.shape), True) if packed else positions(w, value.shape, True)
    if w.loops or at.size * w.blocks > MOST_LITERALS or w.chance(0.5):
        place = _allocated(w, value, at)
    else:
        place = _in_global(w, value, at)
    packed = packed and place.rows and bool(value.shape)
    token, known = _stored(w, place, value, packed)
    if packed and w.chance(0.5):
        return views.load_through(w, views.whole(w, place.base, value.element, value.shape), known, f" token={token}")
    places = pointers(w, place.base, value.element, place.offsets)
    w.tokens.append(read_back(w, places, known, token))
    return w.pool[-1]


def _stored(w: Writer, place: Place, value: Value, packed: bool) -> tuple[str, Value]:
    """The value in memory, or as much of it as a mask lets through. The token and what is known of the elements."""
    before, earlier = w.token(), place.known
    if packed and w.chance(0.5):
        access = views.whole(w, place.base, value.element, value.shape)
        return views.store_through(w, access, value, before), value
    places = pointers(w, place.base, value.element, place.offsets)
    if not w.chance(0.3):
        return store_through(w, places, value, None, before), value
    if earlier is None:
        earlier = w.pick(value.element, value.shape)
        before = f" token={store_through(w, places, earlier, None, before)}"
    token = store_through(w, places, value, w.pick("i1", value.shape), before)
    return token, joined([value, earlier], value.element, value.shape)
