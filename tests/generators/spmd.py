"""Random regions that work-items run: elementwise loops, subgroup operations, local memory, atomics."""

from __future__ import annotations

from dataclasses import dataclass

from generators.arguments import Buffer, Dim
from generators.scalars import arithmetic, loop, unrolled
from generators.writer import Writer

ORDERS = ("relaxed", "acquire", "release", "acquire_release", "sequentially_consistent")


def order(w: Writer, *semantics: str) -> str:
    """Perhaps a scope, perhaps one of these semantics."""
    scope = w.rnd.choice(["", "", ".subgroup", ".work_group", ".device", ".cross_device"])
    return scope + w.rnd.choice(["", *("." + s for s in semantics)])


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
    w.asks_for_team = True
    lane = w.define("subgroup_local_id : i32", "l")
    group = subgroup(w)
    size = w.define("subgroup_size : i32", "z")
    base = w.define(f"mul {group}, {size} : i32")
    number = w.define(f"add {base}, {lane} : i32")
    return Item(lane, number, w.define(f"cast {number} : index", "i"))


def subgroup(w: Writer) -> str:
    """The number of the subgroup, said at once or worked out."""
    if w.chance(0.7):
        return w.define("subgroup_linear_id : i32", "s")
    across, row = w.define("subgroup_id.x : i32", "s"), w.define("subgroup_id.y : i32", "s")
    before = w.define(f"mul {w.define('num_subgroups.x : i32', 's')}, {row} : i32", "s")
    return w.define(f"add {before}, {across} : i32", "s")


def parallel(w: Writer, dtype: str) -> None:
    """Work-items with subgroup operations; each writes its own element of a vector of the work-group's size."""
    out = w.parameter(dtype, (Dim(w.team.items, True),))
    with w.region("parallel"):
        item = _item(w)
        x = w.define(f"load {out.name}[{item.at}] : {dtype}")
        values = [x, _numbered(w, dtype, item.lane, x)]
        arithmetic(w, dtype, values)
        if w.exact:
            subgroup_operation(w, dtype, x, values)
        if w.chance(0.5):
            loop(w, dtype, item.lane, values)
        w.emit(f"store {values[-1]}, {out.name}[{item.at}]")


def _numbered(w: Writer, dtype: str, lane: str, other: str) -> str:
    """The work-item's number in its subgroup in another type, if it can be cast."""
    return w.define(f"cast {lane} : {dtype}") if dtype[0] == "i" or dtype in ("f32", "f64") else other


def subgroup_operation(w: Writer, dtype: str, x: str, values: list[str]) -> None:
    """Something that the work-items of a subgroup do together with what they have loaded."""
    forms = ["reduce", "inclusive_scan", "exclusive_scan", "broadcast"]
    kinds = w.kinds(dtype)
    form, kind = (w.rnd.choice(forms), w.rnd.choice(kinds)) if kinds else ("broadcast", "")
    if form == "broadcast":
        source = w.constant("i32", w.rnd.randrange(w.team.subgroup))
        values.append(w.define(f"subgroup_broadcast {x}, {source} : {dtype}"))
    else:
        w.sums()
        values.append(w.define(f"subgroup_{form}_{kind} {x} : {dtype}"))


def exchange(w: Writer, dtype: str) -> None:
    """Work-items that hand values to each other by way of local memory and barriers."""
    out = w.parameter(dtype, (Dim(w.team.items, True),))
    shared = w.define(f"alloca : memref<{dtype}x{w.team.items},local>", "t")
    with w.region("parallel"):
        item = _item(w)
        last = w.constant("i32", w.team.items - 1)
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
    source = w.parameter(dtype, (Dim(w.team.items, True),))
    kind = w.rnd.choice(w.kinds(dtype))
    with w.region("parallel"):
        item = _item(w)
        count = w.constant("i32", cells)
        cell = w.define(f"rem {item.number}, {count} : i32")
        at = w.define(f"cast {cell} : index", "i")
        x = w.define(f"load {source.name}[{item.at}] : {dtype}")
        w.define(f"atomic_{kind}{order(w, *ORDERS)} {x}, {target.name}[{at}] : {dtype}")


def nested(w: Writer, dtype: str) -> None:
    """A loop over columns inside of a loop over rows, each work-item with a row of its own."""
    matrix: Buffer = w.buffer(dtype, (w.dim(1, 20), w.dim()))
    sums = w.buffer(dtype, (matrix.dims[0],), [matrix])
    zero, rows, columns = w.index(0), w.size(matrix, 0), w.size(matrix, 1)
    i, j, acc, result = w.fresh("i"), w.fresh("i"), w.fresh("v"), w.fresh("v")
    with w.region(f"foreach ({i})=({zero}),({rows})"):
        start = w.define(f"load {sums.name}[{i}] : {dtype}")
        step = f",{w.index(w.rnd.randint(1, 3))}" if w.chance(0.4) else ""
        with w.region(f"{result} = for {j}={zero},{columns}{step} init({acc}={start})->({dtype})", unrolled(w)):
            x = w.define(f"load {matrix.name}[{i},{j}] : {dtype}")
            following = w.define(f"{w.rnd.choice(['add', 'sub'])} {acc}, {x} : {dtype}")
            w.emit(f"yield ({following})")
        w.emit(f"store {result}, {sums.name}[{i}]")


def in_turn(w: Writer, dtype: str) -> None:
    """Work-items that read and write elements of their own atomically, those of others after a barrier."""
    out = w.parameter(dtype, (Dim(w.team.items, True),))
    with w.region("parallel"):
        item = _item(w)
        x = w.define(
            f"atomic_load{order(w, 'relaxed', 'acquire', 'sequentially_consistent')} {out.name}[{item.at}] : {dtype}"
        )
        values = [x, x]
        arithmetic(w, dtype, values)
        to = f"{out.name}[{item.at}]"
        w.emit(f"atomic_store{order(w, 'relaxed', 'release', 'sequentially_consistent')} {values[-1]}, {to}")
        w.emit("barrier.global")
        mirrored = w.define(f"sub {w.constant('i32', w.team.items - 1)}, {item.number} : i32")
        partner = w.define(f"cast {mirrored} : index", "i")
        other = w.define(f"load {out.name}[{partner}] : {dtype}")
        w.emit("barrier.global")
        w.emit(f"store {other}, {to}")


def without_barrier(w: Writer, dtype: str) -> None:
    """Work-items that read what their neighbours write, with nothing in between."""
    out = w.parameter(dtype, (Dim(w.team.items, True),))
    w.races = w.team.items > 1
    with w.region("parallel"):
        item = _item(w)
        following = w.define(f"add {item.number}, {w.constant('i32', 1)} : i32")
        wrapped = w.define(f"rem {following}, {w.constant('i32', w.team.items)} : i32")
        value = w.define(f"load {out.name}[{w.define(f'cast {wrapped} : index', 'i')}] : {dtype}")
        w.emit(f"store {value}, {out.name}[{item.at}]")


def on_one_element(w: Writer, dtype: str) -> None:
    """Work-items that all write one element."""
    out = w.parameter(dtype, (Dim(2, True),))
    w.races = w.team.items > 1
    with w.region("parallel"):
        item = _item(w)
        value = w.define(f"load {out.name}[{w.index(1)}] : {dtype}")
        w.emit(f"store {_numbered(w, dtype, item.lane, value)}, {out.name}[{w.index(0)}]")
