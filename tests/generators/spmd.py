"""Random regions that work-items run: elementwise loops, subgroup operations, local memory, atomics."""

from __future__ import annotations

from dataclasses import dataclass

from generators.arguments import Buffer, Dim
from generators.scalars import arithmetic, loop
from generators.writer import Writer

ITEMS = 64  # work-items of the work-group
SUBGROUP = 16


def foreach(w: Writer, dtype: str) -> None:
    """Elementwise work over a whole memref, reading another at the same place."""
    order = w.rnd.choice([1, 1, 2, 2, 3])
    dims = tuple(w.dim(1, 24 if order < 3 else 5) for _ in range(order))
    out = w.buffer(dtype, dims)
    source = w.buffer(dtype, dims, [out])
    zeros = [w.index(0) for _ in dims]
    sizes = [w.size(out, mode) for mode in range(len(dims))]
    scale = w.scalar(dtype)
    names = [w.fresh("i") for _ in dims]
    with w.region(f"foreach ({','.join(names)})=({','.join(zeros)}),({','.join(sizes)})"):
        at = ",".join(names)
        x = w.define(f"load {source.name}[{at}] : {dtype}")
        y = w.define(f"load {out.name}[{at}] : {dtype}")
        values = [x, y, scale]
        arithmetic(w, dtype, values)
        w.emit(f"store {values[-1]}, {out.name}[{at}]")


@dataclass(frozen=True, slots=True)
class Item:
    """What a work-item of `parallel` knows about itself: i32 numbers, and its place as an index."""

    lane: str
    number: str
    at: str


def _item(w: Writer) -> Item:
    lane = w.define("subgroup_local_id : i32", "l")
    group = w.define("subgroup_linear_id : i32", "s")
    size = w.define("subgroup_size : i32", "z")
    base = w.define(f"mul {group}, {size} : i32")
    number = w.define(f"add {base}, {lane} : i32")
    return Item(lane, number, w.define(f"cast {number} : index", "i"))


def parallel(w: Writer, dtype: str) -> None:
    """Work-items with subgroup operations; each writes its own element of a vector of the work-group's size."""
    out = w.parameter(dtype, (Dim(ITEMS, True),))
    with w.region("parallel"):
        item = _item(w)
        x = w.define(f"load {out.name}[{item.at}] : {dtype}")
        values = [x, _numbered(w, dtype, item.lane, x)]
        arithmetic(w, dtype, values)
        if w.exact:
            _subgroup(w, dtype, x, values)
        if w.chance(0.5):
            loop(w, dtype, item.lane, values)
        w.emit(f"store {values[-1]}, {out.name}[{item.at}]")


def _numbered(w: Writer, dtype: str, lane: str, other: str) -> str:
    """The work-item's number in its subgroup in another type, if it can be cast."""
    return w.define(f"cast {lane} : {dtype}") if dtype[0] == "i" or dtype in ("f32", "f64") else other


def _subgroup(w: Writer, dtype: str, x: str, values: list[str]) -> None:
    form = w.rnd.choice(["reduce", "inclusive_scan", "exclusive_scan", "broadcast"])
    kind = w.rnd.choice(["add"] if dtype[0] == "c" else ["add", "max", "min"])
    if form == "broadcast":
        source = w.constant("i32", w.rnd.randrange(SUBGROUP))
        values.append(w.define(f"subgroup_broadcast {x}, {source} : {dtype}"))
    elif form != "exclusive_scan" or kind == "add":
        values.append(w.define(f"subgroup_{form}_{kind} {x} : {dtype}"))


def exchange(w: Writer, dtype: str) -> None:
    """Work-items that hand values to each other by way of local memory and barriers."""
    out = w.parameter(dtype, (Dim(ITEMS, True),))
    shared = w.define(f"alloca : memref<{dtype}x{ITEMS},local>", "t")
    with w.region("parallel"):
        item = _item(w)
        last = w.constant("i32", ITEMS - 1)
        mirrored = w.define(f"sub {last}, {item.number} : i32")
        partner = w.define(f"cast {mirrored} : index", "i")
        value = w.define(f"load {out.name}[{item.at}] : {dtype}")
        for round_ in range(w.rnd.randint(1, 2)):
            if round_:
                w.emit("barrier.local")
            w.emit(f"store {value}, {shared}[{item.at}]")
            w.emit("barrier.local")
            values = [w.define(f"load {shared}[{partner}] : {dtype}"), value]
            arithmetic(w, dtype, values)
            value = values[-1]
        w.emit(f"store {value}, {out.name}[{item.at}]")


def atomics(w: Writer, dtype: str) -> None:
    """Work-items that update a few cells together: sums and extremes have no order."""
    cells = w.rnd.choice([1, 2, 4])
    target = w.parameter(dtype, (Dim(cells, True),))
    source = w.parameter(dtype, (Dim(ITEMS, True),))
    kind = w.rnd.choice(["add"] if dtype[0] == "c" else ["add", "max", "min"])
    scope = w.rnd.choice(["", ".work_group", ".device", ".device.relaxed", ".relaxed"])
    with w.region("parallel"):
        item = _item(w)
        count = w.constant("i32", cells)
        cell = w.define(f"rem {item.number}, {count} : i32")
        at = w.define(f"cast {cell} : index", "i")
        x = w.define(f"load {source.name}[{item.at}] : {dtype}")
        w.define(f"atomic_{kind}{scope} {x}, {target.name}[{at}] : {dtype}")


def nested(w: Writer, dtype: str) -> None:
    """A loop over columns inside of a loop over rows, each work-item with a row of its own."""
    matrix: Buffer = w.buffer(dtype, (w.dim(1, 20), w.dim()))
    sums = w.buffer(dtype, (matrix.dims[0],), [matrix])
    zero, rows, columns = w.index(0), w.size(matrix, 0), w.size(matrix, 1)
    i, j, acc, result = w.fresh("i"), w.fresh("i"), w.fresh("v"), w.fresh("v")
    with w.region(f"foreach ({i})=({zero}),({rows})"):
        start = w.define(f"load {sums.name}[{i}] : {dtype}")
        with w.region(f"{result} = for {j}={zero},{columns} init({acc}={start})->({dtype})"):
            x = w.define(f"load {matrix.name}[{i},{j}] : {dtype}")
            following = w.define(f"{w.rnd.choice(['add', 'sub'])} {acc}, {x} : {dtype}")
            w.emit(f"yield ({following})")
        w.emit(f"store {result}, {sums.name}[{i}]")
