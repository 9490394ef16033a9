"""Random collective instructions and the views that they work on."""

from __future__ import annotations

from collections.abc import Sequence

from generators.arguments import Buffer, Dim
from generators.scalars import unrolled
from generators.writer import Writer


def _transposed(dims: tuple[Dim, ...], transpose: str) -> tuple[Dim, ...]:
    return dims[::-1] if transpose == ".t" else dims


def axpby(w: Writer, dtype: str) -> None:
    """A scaled sum of scalars, vectors or matrices."""
    dims = tuple(w.dim() for _ in range(w.rnd.randint(0, 2)))
    if w.chance(0.05):
        dims = (w.dim(1, 64), w.dim(1, 128))
    transpose, atomic = w.rnd.choice(["", ".n", ".t"]), w.atomic()
    b = w.buffer(dtype, dims)
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed(dims, transpose), [b])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"axpby{atomic}{transpose} {alpha}, {a.name}, {w.beta(dtype, atomic)}, {b.name}")


def total(w: Writer, dtype: str) -> None:
    """The sum of a vector or of the columns of a matrix."""
    w.sums()
    order = w.rnd.randint(0, 1)
    dims = tuple(w.dim(1, 20) for _ in range(order + 1))
    transpose, atomic = w.rnd.choice(["", ".n", ".t"]), w.atomic()
    b = w.buffer(dtype, dims[:order])
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed(dims, transpose) if order else dims, [b])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"sum{atomic}{transpose} {alpha}, {a.name}, {w.beta(dtype, atomic)}, {b.name}")


def cumsum(w: Writer, dtype: str) -> None:
    """Prefix sums along any mode."""
    w.sums()
    dims = tuple(w.dim() for _ in range(w.rnd.randint(1, 3)))
    mode, atomic = w.rnd.randrange(len(dims)), w.atomic()
    b = w.buffer(dtype, dims)
    source = w.operand_type(dtype)
    a = w.buffer(source, dims, [b])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"cumsum{atomic} {alpha}, {a.name}, {mode}, {w.beta(dtype, atomic)}, {b.name}")


def gemm(w: Writer, dtype: str) -> None:
    """A matrix product, sometimes one that has nothing to sum."""
    w.sums()
    m, n, k = w.dim(1, 20), w.dim(1, 12), w.dim(1, 12)
    ta, tb = w.rnd.choice([("", ""), (".t", ""), (".n", ".t"), (".t", ".t"), (".n", ".n")])
    atomic = w.atomic()
    c = w.buffer(dtype, (m, n))
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed((m, k), ta), [c])
    b = w.buffer(source, _transposed((k, n), tb), [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"gemm{atomic}{ta}{tb} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def gemv(w: Writer, dtype: str) -> None:
    """A matrix times a vector."""
    w.sums()
    m, k = w.dim(1, 20), w.dim(1, 20)
    transpose, atomic = w.rnd.choice(["", ".n", ".t"]), w.atomic()
    c = w.buffer(dtype, (m,))
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed((m, k), transpose), [c])
    b = w.buffer(source, (k,), [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"gemv{atomic}{transpose} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def ger(w: Writer, dtype: str) -> None:
    """An outer product."""
    m, n, atomic = w.dim(1, 20), w.dim(), w.atomic()
    c = w.buffer(dtype, (m, n))
    source = w.operand_type(dtype)
    a, b = w.buffer(source, (m,), [c]), w.buffer(source, (n,), [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"ger{atomic} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def hadamard(w: Writer, dtype: str) -> None:
    """An elementwise product."""
    dims, atomic = tuple(w.dim(1, 12) for _ in range(w.rnd.randint(1, 2))), w.atomic()
    c = w.buffer(dtype, dims)
    source = w.operand_type(dtype)
    a, b = w.buffer(source, dims, [c]), w.buffer(source, dims, [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"hadamard{atomic} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def repeated(w: Writer, dtype: str) -> None:
    """A uniform loop or branch around a collective."""
    out = w.buffer(dtype, (w.dim(), w.dim()))
    one = w.constant(dtype, 1)
    source = w.buffer(dtype, out.dims, [out])
    if w.chance(0.3):
        left, right = w.index(w.rnd.randint(0, 3)), w.size(out, 0)
        flag = w.define(f"less_than {left}, {right} : bool", "b")
        head, tail = f"if {flag}", "} else {" if w.chance(0.5) else "}"
    else:
        low, high = w.index(w.rnd.randint(-1, 1)), w.index(w.rnd.randint(0, 3))
        step = f",{w.index(w.rnd.randint(1, 3))}" if w.chance(0.5) else ""
        head, tail = f"for {w.fresh('i')}={low},{high}{step}", unrolled(w)
    with w.region(head, tail):
        w.emit(f"axpby {one}, {source.name}, {one}, {out.name}")
    if "else" in tail:
        w.emit(f"    hadamard {one}, {source.name}, {source.name}, {one}, {out.name}")
        w.close()


def part(w: Writer, dtype: str) -> None:
    """An update of a part of a matrix at a run-time or literal offset."""
    rows, columns = w.rnd.randint(2, 12), w.rnd.randint(2, 8)
    whole = w.parameter(dtype, (Dim(rows, True), Dim(columns, w.chance(0.5))), packed=True)
    h, v = w.rnd.randint(1, rows), w.rnd.randint(1, columns)
    r, c = w.rnd.randint(0, rows - h), w.rnd.randint(0, columns - v)
    offset = w.index(c) if w.chance(0.5) else str(c)
    source = w.parameter(dtype, (Dim(h, True), Dim(v, True)))
    strides = "" if h == rows else f",strided<1,{rows}>"
    view = w.define(f"subview {whole.name}[{r}:{h},{offset}:{v}] : memref<{dtype}x{h}x{v}{strides}>", "w")
    _update(w, dtype, source, view)


def column(w: Writer, dtype: str) -> None:
    """An update of one column of a matrix, or of the first rows of one row: a mode less."""
    rows, columns = w.rnd.randint(1, 20), w.rnd.randint(1, 8)
    whole = w.parameter(dtype, (Dim(rows, True), Dim(columns, True)), packed=True)
    if w.chance(0.5):
        at = w.index(w.rnd.randrange(columns))
        view = w.define(f"subview {whole.name}[0:{rows},{at}] : memref<{dtype}x{rows}>", "w")
        _update(w, dtype, w.parameter(dtype, (Dim(rows, True),)), view)
        return
    size = w.rnd.randint(0, columns)
    extent, at = w.index(size), w.rnd.randrange(rows)
    view = w.define(f"subview {whole.name}[{at},0:{extent}] : memref<{dtype}x?,strided<{rows}>>", "w")
    _update(w, dtype, w.parameter(dtype, (Dim(size, False),)), view)


def regrouped(w: Writer, dtype: str) -> None:
    """An update of a matrix as a vector, or of a vector as a matrix."""
    rows, columns = w.rnd.randint(1, 9), w.rnd.randint(1, 6)
    if w.chance(0.5):
        whole = w.parameter(dtype, (Dim(rows, True), Dim(columns, True)), packed=True)
        view = w.define(f"fuse {whole.name}[0,1] : memref<{dtype}x{rows * columns}>", "w")
        _update(w, dtype, w.parameter(dtype, (Dim(rows * columns, True),)), view)
        return
    whole = w.parameter(dtype, (Dim(rows * columns, True),), packed=True)
    text = f"expand {whole.name}[0->{rows} x {columns}] : memref<{dtype}x{rows}x{columns}>"
    view = w.define(text, "w")
    _update(w, dtype, w.parameter(dtype, (Dim(rows, True), Dim(columns, True))), view)


def _update(w: Writer, dtype: str, source: Buffer, view: str) -> None:
    w.emit(f"axpby {w.scalar(dtype)}, {source.name}, {w.scalar(dtype)}, {view}")


def chain(w: Writer, dtype: str) -> None:
    """Two products by way of local memory, which a good compiler never touches."""
    w.sums()
    m, k, inner, n = (w.rnd.randint(1, 9) for _ in range(4))
    a, b, c, d = (w.parameter(dtype, shape) for shape in _static((m, k), (k, inner), (inner, n), (m, n)))
    one, zero = w.constant(dtype, 1), w.constant(dtype, 0)
    t = w.define(f"alloca : memref<{dtype}x{m}x{inner},local>", "t")
    w.emit(f"gemm {one}, {a.name}, {b.name}, {zero}, {t}")
    if w.chance(0.3):
        w.emit(f"axpby {one}, {t}, {one}, {t}")
    w.emit(f"gemm {w.scalar(dtype)}, {t}, {c.name}, {w.scalar(dtype)}, {d.name}")
    if w.chance(0.3):
        w.emit(f"lifetime_stop {t}")


def perhaps(w: Writer, dtype: str) -> None:
    """An update of a matrix, unless its pointer is null."""
    dims = (w.dim(), w.dim())
    out, source = w.parameter(dtype, dims), w.parameter(dtype, dims)
    w.buffers.remove(source)
    if w.chance(0.4):
        w.null(source)
    with w.region(f"if {w.define(f'associated {source.name} : bool', 'b')}"):
        w.emit(f"axpby {w.constant(dtype, 1)}, {source.name}, {w.constant(dtype, 1)}, {out.name}")


def _static(*shapes: Sequence[int]) -> list[tuple[Dim, ...]]:
    return [tuple(Dim(s, True) for s in shape) for shape in shapes]
