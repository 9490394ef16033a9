"""Random use of cooperative matrices."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from generators.arguments import Buffer, Dim
from generators.scalars import arithmetic
from generators.spmd import ORDERS, order, subgroup
from generators.writer import Writer

CHECKS = ("rows", "cols", "both")
_MOST_UPDATES = 64


def _tile(w: Writer) -> tuple[int, int]:
    """Extents of a cooperative matrix that any subgroup may have, now and then large ones."""
    if w.chance(0.03):
        return 64, 128
    return w.team.subgroup * w.rnd.choice([1, 1, 2] if w.team.subgroup < 64 else [1]), w.rnd.choice([1, 2, 3, 4, 8])


def foreach_tile(w: Writer, dtype: str) -> None:
    """Cooperative matrices over a matrix, with checked remainders."""
    h, v = _tile(w)
    dims = (w.dim(1, 24), w.dim(1, 8))
    out, source = w.parameter(dtype, dims), w.parameter(dtype, dims)
    with _tiles(w, out, h, v) as at:
        matrix = f"coopmatrix<{dtype}x{h}x{v},matrix_acc>"
        if w.chance(0.2):
            w.emit(f"cooperative_matrix_prefetch {w.rnd.randrange(2)}, {source.name}[{at}], {h}, {v}")
        x = w.define(f"cooperative_matrix_load.both_checked {source.name}[{at}] : {matrix}", "x")
        y = w.define(f"cooperative_matrix_load.both_checked {out.name}[{at}] : {matrix}", "x")
        z = _combined(w, dtype, matrix, x, y)
        w.emit(f"cooperative_matrix_store.both_checked {z}, {out.name}[{at}]")


@contextmanager
def _tiles(w: Writer, out: Buffer, rows: int, columns: int) -> Generator[str]:
    """A region for each tile of a matrix; gives the indices of its first element."""
    zero, sizes = w.index(0), f"{w.size(out, 0)},{w.size(out, 1)}"
    i, j, h, v = (w.fresh("i") for _ in range(4))
    with w.region(f"foreach_tile ({i},{j})=({zero},{zero}),({sizes}) as ({h},{v})<=({rows},{columns})"):
        yield f"{i},{j}"


def updates(w: Writer, dtype: str) -> None:
    """Atomic accesses to the tiles of a matrix, and what they give back.

    Few elements a work-item: each is a branch and, of 16 bits, a loop, and LLVM takes minutes for thousands of these.
    """
    h, v = _tile(w)
    v = min(v, max(_MOST_UPDATES * w.team.subgroup // h, 1))
    dims = (w.dim(1, 24), w.dim(1, 8))
    out, target = w.parameter(dtype, dims), w.parameter(dtype, dims)
    matrix = f"coopmatrix<{dtype}x{h}x{v},matrix_acc>"
    with _tiles(w, out, h, v) as at:
        reads = order(w, "relaxed", "acquire", "sequentially_consistent")
        x = w.define(f"cooperative_matrix_atomic_load.both_checked{reads} {out.name}[{at}] : {matrix}", "x")
        kind = w.rnd.choice(w.kinds(dtype))
        update = f"cooperative_matrix_atomic_{kind}.both_checked{order(w, *ORDERS)}"
        old = w.define(f"{update} {x}, {target.name}[{at}] : {matrix}", "x")
        writes = order(w, "relaxed", "release", "sequentially_consistent")
        w.emit(f"cooperative_matrix_atomic_store.both_checked{writes} {old}, {out.name}[{at}]")


def shares(w: Writer, dtype: str) -> None:
    """Components that work-items take out of their share of a cooperative matrix and put back changed."""
    rows, columns = w.team.subgroup, w.rnd.choice([1, 2, 4])
    transpose = w.rnd.choice(["", ".n", ".t"])
    dims = _shape(rows, columns, transpose)
    out = w.parameter(dtype, dims)
    matrix = f"coopmatrix<{dtype}x{rows}x{columns},{w.rnd.choice(['matrix_a', 'matrix_b', 'matrix_acc'])}>"
    check = w.rnd.choice(["", *(f".{c}_checked" for c in CHECKS)])
    with _first_subgroup(w) as at:
        x = w.define(f"cooperative_matrix_load{transpose}{check} {out.name}[{at},{at}] : {matrix}", "x")
        for component in w.rnd.sample(range(columns), w.rnd.randint(1, columns)):
            values = [w.define(f"cooperative_matrix_extract {x}[{component}] : {dtype}")]
            arithmetic(w, dtype, values)
            x = w.define(f"cooperative_matrix_insert {values[-1]}, {x}[{component}] : {matrix}", "x")
        w.emit(f"cooperative_matrix_store{transpose}{check} {x}, {out.name}[{at},{at}]")


@contextmanager
def _first_subgroup(w: Writer) -> Generator[str]:
    """What one subgroup does; gives the index 0."""
    w.asks_for_team = True
    with w.region("parallel"):
        group, first = subgroup(w), w.constant("i32", 0)
        with w.region(f"if {w.define(f'equal {group}, {first} : bool', 'b')}"):
            yield w.index(0)


def _combined(w: Writer, dtype: str, matrix: str, x: str, y: str) -> str:
    value = w.define(f"{w.rnd.choice(['add', 'sub', 'mul'])} {x}, {y} : {matrix}", "x")
    form = w.rnd.choice(["", "", "neg", "scale", "construct", "apply"])
    if form == "neg":
        return w.define(f"neg {value} : {matrix}", "x")
    if form == "scale":
        return w.define(f"cooperative_matrix_scale {w.constant(dtype, 2)}, {value} : {matrix}", "x")
    if form == "construct":
        other = w.define(f"cooperative_matrix_construct {w.constant(dtype, 3)} : {matrix}", "x")
        return w.define(f"add {value}, {other} : {matrix}", "x")
    if form == "apply":
        return _applied(w, dtype, matrix, value)
    return value


def _applied(w: Writer, dtype: str, matrix: str, value: str) -> str:
    """Components that depend on where they are."""
    i, j, v, name = w.fresh("i"), w.fresh("i"), w.fresh("v"), w.fresh("x")
    with w.region(f"{name} = cooperative_matrix_apply ({i},{j},{v})={value} -> {matrix}"):
        above = w.define(f"less_than {j}, {i} : bool", "b")
        result = w.fresh("v")
        with w.region(f"{result} = if {above} -> ({dtype})", "} else {"):
            w.emit(f"yield ({w.define(f'add {v}, {v} : {dtype}')})")
        w.emit(f"    yield ({v})")
        w.close()
        w.emit(f"yield ({result})")
    return name


def mul_add(w: Writer, dtype: str) -> None:
    """A product of cooperative matrices in one subgroup."""
    w.sums()
    m, k, n = w.team.subgroup, w.rnd.choice([2, 4, 16]), w.rnd.choice([2, 3, 4, 8])
    ta, tb = w.rnd.choice(["", ".t"]), w.rnd.choice(["", ".t"])
    a = w.parameter(dtype, _shape(m, k, ta))
    b = w.parameter(dtype, _shape(k, n, tb))
    c = w.parameter(dtype, _shape(m, n, ""))
    with _first_subgroup(w) as at:
        x = w.define(f"cooperative_matrix_load{ta} {a.name}[{at},{at}] : coopmatrix<{dtype}x{m}x{k},matrix_a>", "x")
        y = w.define(f"cooperative_matrix_load{tb} {b.name}[{at},{at}] : coopmatrix<{dtype}x{k}x{n},matrix_b>", "x")
        matrix = f"coopmatrix<{dtype}x{m}x{n},matrix_acc>"
        z = w.define(f"cooperative_matrix_load {c.name}[{at},{at}] : {matrix}", "x")
        p = w.define(f"cooperative_matrix_mul_add {x}, {y}, {z} : {matrix}", "x")
        w.emit(f"cooperative_matrix_store {p}, {c.name}[{at},{at}]")


def _shape(rows: int, columns: int, transpose: str) -> tuple[Dim, Dim]:
    first, second = (columns, rows) if transpose == ".t" else (rows, columns)
    return Dim(first, True), Dim(second, True)


def reduce(w: Writer, dtype: str) -> None:
    """Sums and extremes of the rows or columns of a cooperative matrix."""
    w.sums()
    m, n = w.team.subgroup, w.rnd.choice([2, 4, 5])
    source = w.parameter(dtype, _shape(m, n, ""))
    mode, shape = w.rnd.choice([(".row", (m, 1)), (".column", (1, n))])
    out = w.parameter(dtype, _shape(*shape, ""))
    kind = w.rnd.choice(w.kinds(dtype))
    with _first_subgroup(w) as at:
        matrix = f"coopmatrix<{dtype}x{m}x{n},matrix_acc>"
        x = w.define(f"cooperative_matrix_load {source.name}[{at},{at}] : {matrix}", "x")
        reduced = f"coopmatrix<{dtype}x{shape[0]}x{shape[1]},matrix_acc>"
        y = w.define(f"cooperative_matrix_reduce_{kind}{mode} {x} : {reduced}", "x")
        w.emit(f"cooperative_matrix_store {y}, {out.name}[{at},{at}]")
