"""Accesses of the old language that meet at an element: of work-groups, or of the work-items of a `foreach`.

Each way to meet has one that races beside one that does not and looks much the same.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager

import numpy as np

from generators.old_writer import DTYPES, Common, View, Writer

Statement = Callable[[Writer], None]
Meeting = Callable[[Writer, bool, Sequence[Statement]], None]


def meet(w: Writer, collectives: Sequence[Statement]) -> None:
    """Accesses that meet, perhaps in a loop or a branch that perhaps does nothing."""
    races = w.rnd.random() < 0.5
    with _perhaps(w) as happens:
        w.rnd.choice(_MEETINGS)(w, races, collectives)
    w.races = races and happens


@contextmanager
def _perhaps(w: Writer) -> Generator[bool]:
    """Nothing around, or a loop or a branch; whether it is ever run."""
    kind = w.rnd.choice(["", "", "for", "if"])
    if not kind:
        yield True
        return
    dtype = "index" if kind == "for" else "i1"
    count = w.parameter(dtype)
    happens = w.rnd.random() < 0.7
    w.arguments[-1] = np.int64(w.rnd.randint(1, 2) if happens else 0) if kind == "for" else happens
    scalars = len(w.scalars)
    w.emit(f"for {w.fresh('i')} = 0, {count} {{" if kind == "for" else f"if {count} {{")
    w.depth += 1
    yield happens
    w.depth -= 1
    w.emit("}")
    _forget(w, scalars)


def _forget(w: Writer, scalars: int) -> None:
    """What a region has defined is not visible behind it."""
    w.scalars[scalars:] = [s for s in w.scalars[scalars:] if any(p.startswith(f"{s[0]}:") for p in w.parameters)]


def _common(w: Writer) -> View:
    dtype, size = w.rnd.choice(list(DTYPES)), w.rnd.randint(1, 5)
    return w.read_only(dtype, (size,), (w.rnd.random() < 0.6,))


def _by_collectives(w: Writer, races: bool, collectives: Sequence[Statement]) -> None:
    """All work-groups update the same memory, atomically or not."""
    views = len(w.views)
    w.common = Common.PLAINLY if races else Common.ATOMICALLY
    w.rnd.choice(collectives)(w)
    w.common = None
    del w.views[views:]


def _of_plain_and_atomic(w: Writer, races: bool, _collectives: Sequence[Statement]) -> None:
    """All work-groups update memory atomically, and read that memory, or other memory, as it is."""
    updated = _common(w)
    read = updated if races else w.read_only(updated.dtype, updated.sizes, updated.known)
    source, own = w.read_only(updated.dtype, updated.sizes, updated.known), w.own(updated.dtype, (), ())
    types = f"{updated.dtype}, {updated.type}, {updated.dtype}, {updated.type}"
    lines = [
        f"axpby.n.atomic 1, {source.name}, 1, {updated.name} : {types}",
        f"sum.n 1, {read.name}, 0, {own.name} : {read.dtype}, {read.type}, {own.dtype}, {own.type}",
    ]
    w.rnd.shuffle(lines)
    for line in lines:
        w.emit(line)


def _of_one_group(w: Writer, races: bool, _collectives: Sequence[Statement]) -> None:
    """All work-groups change one element, or the first of them alone does."""
    view = _common(w)
    at, scalars = w.rnd.randrange(view.sizes[0]), len(w.scalars)
    if not races:
        first = w.define("i1", f"cmp.eq {w.group()}, 0 : index", "b")
        w.emit(f"if {first} {{")
        w.depth += 1
    value = w.define(view.dtype, f"load {view.name}[{at}] : {view.type}")
    w.emit(f"store {value}, {view.name}[{at}] : {view.type}")
    if not races:
        w.depth -= 1
        w.emit("}")
    _forget(w, scalars)


def _of_a_writer_and_readers(w: Writer, races: bool, _collectives: Sequence[Statement]) -> None:
    """The first work-group writes an element that all others read, or read beside."""
    view, scalars = _common(w), len(w.scalars)
    read = view if races else w.read_only(view.dtype, view.sizes, view.known)
    at, value, own = w.rnd.randrange(view.sizes[0]), w.scalar(view.dtype, literals=False), w.own(view.dtype, (), ())
    first = w.define("i1", f"cmp.eq {w.group()}, 0 : index", "b")
    w.emit(f"if {first} {{")
    w.emit(f"  store {value}, {view.name}[{at}] : {view.type}")
    w.emit("}")
    found = w.define(read.dtype, f"load {read.name}[{at}] : {read.type}")
    w.emit(f"store {found}, {own.name}[] : {own.type}")
    _forget(w, scalars)


def _of_items(w: Writer, races: bool, _collectives: Sequence[Statement]) -> None:
    """Work-items of a `foreach` that write one element, or each its own."""
    size, scalars = w.rnd.randint(2, 7), len(w.scalars)
    out = w.own(w.rnd.choice(list(DTYPES)), (size,), (True,))
    name, value = w.fresh("i"), w.scalar(out.dtype, literals=False)
    w.emit(f"foreach {name}=0,{size} {{")
    w.depth += 1
    w.emit(f"store {value}, {out.name}[{w.rnd.randrange(size) if races else name}] : {out.type}")
    w.depth -= 1
    w.emit("}")
    _forget(w, scalars)


def _of_neighbours(w: Writer, races: bool, _collectives: Sequence[Statement]) -> None:
    """Work-items of a `foreach` that read beside the element that they write: there, or in other memory."""
    size, dtype, scalars = w.rnd.randint(2, 6), w.rnd.choice(list(DTYPES)), len(w.scalars)
    out = w.own(dtype, (size + 1,), (True,))
    source = out if races else w.read_only(dtype, (size + 1,), (True,))
    name = w.fresh("i")
    w.emit(f"foreach {name}=0,{size} {{")
    w.depth += 1
    beside = w.define("index", f"arith.add {name}, 1 : index")
    value = w.define(dtype, f"load {source.name}[{beside}] : {source.type}")
    w.emit(f"store {value}, {out.name}[{name}] : {out.type}")
    w.depth -= 1
    w.emit("}")
    _forget(w, scalars)


_MEETINGS: Sequence[Meeting] = (
    _by_collectives,
    _of_plain_and_atomic,
    _of_one_group,
    _of_a_writer_and_readers,
    _of_items,
    _of_neighbours,
)
