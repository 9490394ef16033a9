"""Accesses of Tile IR that race: of one tile block with no token path between them, or of several tile blocks."""

from __future__ import annotations

from generators.tile_ir_conversions import addressable
from generators.tile_ir_memory import load_through, pointers, positions, store_through
from generators.tile_ir_values import Value, anything
from generators.tile_ir_writer import Writer


def race(w: Writer) -> None:
    """Accesses to memory of their own, one a weak store, in a kernel that never acquires or releases.

    Tile blocks that acquire what others release may be ordered, and are taken to be.
    """
    value = addressable(w, w.pick(w.rnd.choice(["i8", "i32", "f16", "f64"]), w.rnd.choice(w.shapes)))
    if w.blocks > 1 and w.chance(0.5):
        _of_tile_blocks(w, value)
    else:
        _without_token(w, value)


def _of_tile_blocks(w: Writer, value: Value) -> None:
    """Each stores to the same elements, or loads what another one has stored."""
    at = positions(w, value.shape, True)
    places = pointers(w, _memory(w, value, at.size), value.element, at.value)
    token = store_through(w, places, value, None, "", weak=True)
    if w.chance(0.5):
        load_through(w, places, anything("", value.element, value.shape), f" token={token}")


def _without_token(w: Writer, value: Value) -> None:
    """A store, and another access before or behind it that waits for nothing."""
    at = positions(w, value.shape, True)
    places = pointers(w, _memory(w, value, at.size), value.element, at.value)
    kind = w.rnd.choice(["load first", "load second", "stores"])
    known = anything("", value.element, value.shape)
    if kind == "load first":
        load_through(w, places, known, "")
    store_through(w, places, value, None, "", weak=True)
    if kind == "load second":
        load_through(w, places, known, "")
    elif kind == "stores":
        store_through(w, places, value, None, "")


def _memory(w: Writer, value: Value, size: int) -> str:
    """What the stores leave there is not looked at."""
    return w.pointer(value.element, w.data_value(value.element, value.shape, "small", size)[0])
