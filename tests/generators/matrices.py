"""Random use of cooperative matrices."""

from __future__ import annotations

from generators.arguments import Dim
from generators.writer import Writer


def foreach_tile(w: Writer, dtype: str) -> None:
    """Cooperative matrices over a matrix, with checked remainders."""
    dims = (w.dim(1, 24), w.dim(1, 8))
    out, source = w.parameter(dtype, dims), w.parameter(dtype, dims)
    zero = w.index(0)
    rows, columns = w.size(out, 0), w.size(out, 1)
    i, j, h, v = (w.fresh("i") for _ in range(4))
    width = w.rnd.choice([2, 4])
    with w.region(f"foreach_tile ({i},{j})=({zero},{zero}),({rows},{columns}) as ({h},{v})<=(16,{width})"):
        matrix = f"coopmatrix<{dtype}x16x{width},matrix_acc>"
        x = w.define(f"cooperative_matrix_load.both_checked {source.name}[{i},{j}] : {matrix}", "x")
        y = w.define(f"cooperative_matrix_load.both_checked {out.name}[{i},{j}] : {matrix}", "x")
        z = _combined(w, dtype, matrix, x, y)
        w.emit(f"cooperative_matrix_store.both_checked {z}, {out.name}[{i},{j}]")


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
    k, n = w.rnd.choice([2, 4]), w.rnd.choice([2, 4])
    ta, tb = w.rnd.choice(["", ".t"]), w.rnd.choice(["", ".t"])
    a = w.parameter(dtype, _shape(16, k, ta))
    b = w.parameter(dtype, _shape(k, n, tb))
    c = w.parameter(dtype, _shape(16, n, ""))
    with w.region("parallel"):
        group, first = w.define("subgroup_linear_id : i32", "s"), w.constant("i32", 0)
        with w.region(f"if {w.define(f'equal {group}, {first} : bool', 'b')}"):
            at = w.index(0)
            x = w.define(f"cooperative_matrix_load{ta} {a.name}[{at},{at}] : coopmatrix<{dtype}x16x{k},matrix_a>", "x")
            y = w.define(f"cooperative_matrix_load{tb} {b.name}[{at},{at}] : coopmatrix<{dtype}x{k}x{n},matrix_b>", "x")
            matrix = f"coopmatrix<{dtype}x16x{n},matrix_acc>"
            z = w.define(f"cooperative_matrix_load {c.name}[{at},{at}] : {matrix}", "x")
            p = w.define(f"cooperative_matrix_mul_add {x}, {y}, {z} : {matrix}", "x")
            w.emit(f"cooperative_matrix_store {p}, {c.name}[{at},{at}]")


def _shape(rows: int, columns: int, transpose: str) -> tuple[Dim, Dim]:
    first, second = (columns, rows) if transpose else (rows, columns)
    return Dim(first, True), Dim(second, True)


def reduce(w: Writer, dtype: str) -> None:
    """Sums and extremes of the rows or columns of a cooperative matrix."""
    n = w.rnd.choice([2, 4, 5])
    source = w.parameter(dtype, _shape(16, n, ""))
    mode, shape = w.rnd.choice([(".row", (16, 1)), (".column", (1, n))])
    out = w.parameter(dtype, _shape(*shape, ""))
    kind = w.rnd.choice(["add"] if dtype[0] == "c" else ["add", "max", "min"])
    with w.region("parallel"):
        group, first = w.define("subgroup_linear_id : i32", "s"), w.constant("i32", 0)
        with w.region(f"if {w.define(f'equal {group}, {first} : bool', 'b')}"):
            at = w.index(0)
            matrix = f"coopmatrix<{dtype}x16x{n},matrix_acc>"
            x = w.define(f"cooperative_matrix_load {source.name}[{at},{at}] : {matrix}", "x")
            reduced = f"coopmatrix<{dtype}x{shape[0]}x{shape[1]},matrix_acc>"
            y = w.define(f"cooperative_matrix_reduce_{kind}{mode} {x} : {reduced}", "x")
            w.emit(f"cooperative_matrix_store {y}, {out.name}[{at},{at}]")
