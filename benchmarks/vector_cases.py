"""The rows of `vector_ops.py`: kernels, arguments, NumPy formulations of the same, float64 references."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32 | np.float64 | np.complex64 | np.complex128]
Peers = dict[str, Callable[[], object]]

LENGTH: Final = 10_000_000
SIDE: Final = 4096
ERRORS: Final = {"f32": 1e-4, "f64": 1e-11, "c32": 1e-4, "c64": 1e-11}
_CHUNK: Final = 1 << 15
_SQUARE: Final = 64
_BLOCK: Final = 1 << 16
_BETAS: Final = (0.0, 1.0, 0.5)


@dataclass(frozen=True, slots=True)
class Case:
    """One row. `result` is the argument that the kernel writes; `stream` names the bandwidth that bounds it."""

    name: str
    dtype: str
    text: str
    arguments: tuple[Array, ...]
    result: Array
    peers: Peers
    expected: Callable[[], NDArray[Any]]
    bytes: int
    stream: str
    grid: int = 1


def cases() -> Iterator[tuple[str, Callable[[], Case]]]:
    """Names, and what makes the case of the name."""
    for dtype in ("f32", "f64"):
        for beta in _BETAS:
            for form in ("", " static", " strided", " grid"):
                yield f"{dtype} axpby b={beta:g}{form}", partial(_axpby, dtype, beta, form.strip())
            for transpose in ("n", "t"):
                yield f"{dtype} axpby.{transpose} matrix b={beta:g}", partial(_axpby_matrix, dtype, beta, transpose)
            for form in ("", " grid", " matrix"):
                yield f"{dtype} hadamard b={beta:g}{form}", partial(_hadamard, dtype, beta, form.strip())
            yield f"{dtype} ger b={beta:g}", partial(_ger, dtype, beta)
        for form in ("", " static", " strided"):
            yield f"{dtype} sum vector{form}", partial(_sum_vector, dtype, form.strip())
        for transpose in ("n", "t"):
            for form in ("", " static"):
                yield f"{dtype} sum.{transpose} matrix{form}", partial(_sum_matrix, dtype, transpose, form.strip())
                for beta in (0.0, 0.5):
                    make = partial(_gemv, dtype, beta, transpose, form.strip())
                    yield f"{dtype} gemv.{transpose} b={beta:g}{form}", make
        yield f"{dtype} cumsum vector", partial(_cumsum_vector, dtype)
        for mode in (0, 1):
            yield f"{dtype} cumsum matrix mode {mode}", partial(_cumsum_matrix, dtype, mode)


def _random(dtype: str, *shape: int) -> Array:
    kind = np.float32 if dtype == "f32" else np.float64
    return np.asfortranarray(np.random.default_rng().random(shape, kind) - kind(0.5))


def _size(dtype: str) -> int:
    return 4 if dtype == "f32" else 8


def _stream(beta: float) -> str:
    return "triad" if beta == 0 else "update"


def _kernel(dtype: str, parameters: str, beta: float, call: str) -> str:
    return f"""func @k({parameters}) {{
    %alpha = constant 2.0 : {dtype}
    %beta = constant {float(beta)!r} : {dtype}
    {call}
}}"""


def _vector(dtype: str, form: str, length: int = LENGTH) -> str:
    extent = str(length) if form == "static" else "?"
    return f"memref<{dtype}x{extent},strided<?>>" if form == "strided" else f"memref<{dtype}x{extent}>"


def _matrix(dtype: str, form: str = "") -> str:
    return f"memref<{dtype}x{SIDE}x{SIDE}>" if form == "static" else f"memref<{dtype}x?x?>"


def _updates(dtype: str, beta: float, y: Array, work: Array, product: Callable[[slice, Array], object]) -> Peers:
    """NumPy for `y := product + beta y` over the last dimension: at once and in pieces that stay in the cache."""

    def piece(part: slice) -> None:
        if beta == 0:
            product(part, y[part])
            return
        if beta != 1:
            np.multiply(y[part], beta, out=y[part])
        held = work[: y[part].shape[0]]
        product(part, held)
        np.add(y[part], held, out=y[part])

    step = max(1, _CHUNK // (y.size // len(y)))

    def pieces() -> None:
        for start in range(0, len(y), step):
            piece(slice(start, start + step))

    return {"at once": lambda: piece(slice(0, len(y))), "in pieces": pieces}


def _axpby(dtype: str, beta: float, form: str) -> Case:
    step = 2 if form == "strided" else 1
    x, y = _random(dtype, LENGTH * step)[::step], _random(dtype, LENGTH * step)[::step]
    mine, work, before = _random(dtype, LENGTH * step)[::step], np.empty(LENGTH, x.dtype), y.astype(np.float64)
    mine[:] = y
    peers = _updates(dtype, beta, y, work, lambda part, out: np.multiply(x[part], 2, out=out))
    type_ = _vector(dtype, form)
    call, grid = "axpby %alpha, %x, %beta, %y", 1
    if form == "grid":
        call, grid = _blocks(dtype, ("x", "y"), "axpby %alpha, %xb, %beta, %yb"), -(-LENGTH // _BLOCK)
    text = _kernel(dtype, f"%x: {type_}, %y: {type_}", beta, call)
    moved = (2 if beta == 0 else 3) * LENGTH * _size(dtype) * step
    expected = lambda: 2 * x.astype(np.float64) + beta * before  # noqa: E731
    name = f"{dtype} axpby b={beta:g} {form}".strip()
    return Case(name, dtype, text, (x, mine), mine, peers, expected, moved, _stream(beta), grid)


def _blocks(dtype: str, names: tuple[str, ...], call: str) -> str:
    """Each work-group does a block of the vectors."""
    lines = [
        "%g = group_id.x : index",
        f"%block = constant {_BLOCK} : index",
        "%start = mul %g, %block : index",
        "%n = size %x[0] : index",
        "%rest = sub %n, %start : index",
        "%length = min %rest, %block : index",
        *(f"%{name}b = subview %{name}[%start:%length] : memref<{dtype}x?>" for name in names),
        call,
    ]
    return "\n    ".join(lines)


def _axpby_matrix(dtype: str, beta: float, transpose: str) -> Case:
    a, b = _random(dtype, SIDE, SIDE), _random(dtype, SIDE, SIDE)
    mine, before, source = b.copy(order="F"), b.astype(np.float64), a.T if transpose == "t" else a
    peers = _updates(
        dtype, beta, b.T, np.empty((SIDE, SIDE), a.dtype), lambda part, out: np.multiply(source.T[part], 2, out=out)
    )
    if transpose == "t":
        peers["in squares"] = _squares(a, b, beta)
    type_ = _matrix(dtype)
    call = "axpby.t %alpha, %x, %beta, %y" if transpose == "t" else "axpby %alpha, %x, %beta, %y"
    text = _kernel(dtype, f"%x: {type_}, %y: {type_}", beta, call)
    expected = lambda: 2 * source.astype(np.float64) + beta * before  # noqa: E731
    moved = (2 if beta == 0 else 3) * SIDE * SIDE * _size(dtype)
    name = f"{dtype} axpby.{transpose} matrix b={beta:g}"
    return Case(name, dtype, text, (a, mine), mine, peers, expected, moved, _stream(beta))


def _squares(a: Array, b: Array, beta: float) -> Callable[[], object]:
    """`b := 2 a^T + beta b` in squares that stay in the cache."""
    held = np.empty((_SQUARE, _SQUARE), a.dtype)
    places = [
        (slice(i, i + _SQUARE), slice(j, j + _SQUARE)) for i in range(0, SIDE, _SQUARE) for j in range(0, SIDE, _SQUARE)
    ]

    def run() -> None:
        for rows, columns in places:
            out = b.T[columns, rows]
            if beta == 0:
                np.multiply(a[columns, rows], 2, out=out)
                continue
            np.multiply(a[columns, rows], 2, out=held)
            if beta != 1:
                np.multiply(out, beta, out=out)
            np.add(out, held, out=out)

    return run


def _hadamard(dtype: str, beta: float, form: str) -> Case:
    shape = (SIDE, SIDE) if form == "matrix" else (LENGTH,)
    x, z, y = (_random(dtype, *shape) for _ in range(3))
    mine, before = y.copy(order="F"), y.astype(np.float64)

    def product(part: slice, out: Array) -> None:
        np.multiply(x.T[part], z.T[part], out=out)
        np.multiply(out, 2, out=out)

    peers = _updates(dtype, beta, y.T, np.empty_like(y.T), product)
    type_ = _matrix(dtype) if form == "matrix" else _vector(dtype, "")
    call, grid = "hadamard %alpha, %x, %z, %beta, %y", 1
    if form == "grid":
        call = _blocks(dtype, ("x", "z", "y"), "hadamard %alpha, %xb, %zb, %beta, %yb")
        grid = -(-LENGTH // _BLOCK)
    text = _kernel(dtype, f"%x: {type_}, %z: {type_}, %y: {type_}", beta, call)
    expected = lambda: 2 * x.astype(np.float64) * z + beta * before  # noqa: E731
    moved = (3 if beta == 0 else 4) * y.size * _size(dtype)
    name = f"{dtype} hadamard b={beta:g} {form}".strip()
    return Case(name, dtype, text, (x, z, mine), mine, peers, expected, moved, _stream(beta), grid)


def _ger(dtype: str, beta: float) -> Case:
    u, v, c = _random(dtype, SIDE), _random(dtype, SIDE), _random(dtype, SIDE, SIDE)
    mine, before, two = c.copy(order="F"), c.astype(np.float64), u * u.dtype.type(2)
    peers = _updates(
        dtype, beta, c.T, np.empty((SIDE, SIDE), u.dtype), lambda part, out: np.outer(v[part], two, out=out)
    )
    text = _kernel(
        dtype,
        f"%u: {_vector(dtype, '')}, %v: {_vector(dtype, '')}, %c: {_matrix(dtype)}",
        beta,
        "ger %alpha, %u, %v, %beta, %c",
    )
    expected = lambda: 2 * np.outer(u.astype(np.float64), v) + beta * before  # noqa: E731
    moved = (1 if beta == 0 else 2) * SIDE * SIDE * _size(dtype)
    name = f"{dtype} ger b={beta:g}"
    return Case(name, dtype, text, (u, v, mine), mine, peers, expected, moved, _stream(beta))


def _sum_vector(dtype: str, form: str) -> Case:
    step = 2 if form == "strided" else 1
    x = _random(dtype, LENGTH * step)[::step]
    out = np.full((), np.nan, x.dtype)
    # All but random: the sum of numbers of both signs has no relative error worth the name.
    np.abs(x, out=x)
    peers: Peers = {"sum": lambda: x.sum()}
    if step == 1:
        ones = np.ones_like(x)
        peers["dot"] = lambda: np.dot(x, ones)
    text = _kernel(dtype, f"%x: {_vector(dtype, form)}, %y: memref<{dtype}>", 0.0, "sum %alpha, %x, %beta, %y")
    expected = lambda: np.asarray(2 * x.sum(dtype=np.float64))  # noqa: E731
    name = f"{dtype} sum vector {form}".strip()
    moved = LENGTH * _size(dtype) * step
    return Case(name, dtype, text, (x, out), out, peers, expected, moved, "read")


def _sum_matrix(dtype: str, transpose: str, form: str) -> Case:
    a, out = _random(dtype, SIDE, SIDE), np.full(SIDE, np.nan, np.float32 if dtype == "f32" else np.float64)
    source, theirs, ones = a.T if transpose == "t" else a, out.copy(), np.ones(SIDE, a.dtype)
    peers: Peers = {
        "sum": lambda: np.sum(source, axis=1, out=theirs),
        "matmul": lambda: np.matmul(source, ones, out=theirs),
    }
    call = "sum.t %alpha, %a, %beta, %y" if transpose == "t" else "sum %alpha, %a, %beta, %y"
    text = _kernel(dtype, f"%a: {_matrix(dtype, form)}, %y: {_vector(dtype, form, SIDE)}", 0.0, call)
    expected = lambda: 2 * source.sum(axis=1, dtype=np.float64)  # noqa: E731
    name = f"{dtype} sum.{transpose} matrix {form}".strip()
    return Case(name, dtype, text, (a, out), out, peers, expected, SIDE * SIDE * _size(dtype), "read")


def _gemv(dtype: str, beta: float, transpose: str, form: str) -> Case:
    a, x, y = _random(dtype, SIDE, SIDE), _random(dtype, SIDE), _random(dtype, SIDE)
    source, mine, before, work = a.T if transpose == "t" else a, y.copy(), y.astype(np.float64), np.empty_like(y)

    def matmul() -> None:
        np.matmul(source, x, out=work)
        np.multiply(work, 2, out=work)
        if beta:
            np.multiply(y, beta, out=y)
            np.add(y, work, out=y)

    call = "gemv.t %alpha, %a, %x, %beta, %y" if transpose == "t" else "gemv %alpha, %a, %x, %beta, %y"
    vector = _vector(dtype, form, SIDE)
    text = _kernel(dtype, f"%a: {_matrix(dtype, form)}, %x: {vector}, %y: {vector}", beta, call)
    expected = lambda: 2 * (source.astype(np.float64) @ x) + beta * before  # noqa: E731
    name = f"{dtype} gemv.{transpose} b={beta:g} {form}".strip()
    moved = SIDE * SIDE * _size(dtype)
    return Case(name, dtype, text, (a, x, mine), mine, {"matmul": matmul}, expected, moved, "read")


def _cumsum_vector(dtype: str) -> Case:
    x = np.abs(_random(dtype, LENGTH))
    out, theirs = np.full_like(x, np.nan), np.empty_like(x)
    text = _kernel(dtype, f"%x: {_vector(dtype, '')}, %y: {_vector(dtype, '')}", 0.0, "cumsum %alpha, %x, 0, %beta, %y")

    def cumsum() -> None:
        np.cumsum(x, out=theirs)
        np.multiply(theirs, 2, out=theirs)

    peers: Peers = {"cumsum, scaled": cumsum, "cumsum alone": lambda: np.cumsum(x, out=theirs)}
    expected = lambda: 2 * np.cumsum(x, dtype=np.float64)  # noqa: E731
    return Case(
        f"{dtype} cumsum vector", dtype, text, (x, out), out, peers, expected, 2 * LENGTH * _size(dtype), "triad"
    )


def _cumsum_matrix(dtype: str, mode: int) -> Case:
    x = np.abs(_random(dtype, SIDE, SIDE))
    out, theirs = np.full_like(x, np.nan), np.empty_like(x)
    type_ = _matrix(dtype)
    text = _kernel(dtype, f"%x: {type_}, %y: {type_}", 0.0, f"cumsum %alpha, %x, {mode}, %beta, %y")

    def columns() -> None:
        theirs[:, 0] = x[:, 0]
        for k in range(1, SIDE):
            np.add(theirs[:, k - 1], x[:, k], out=theirs[:, k])

    peers: Peers = {"cumsum alone": lambda: np.cumsum(x, axis=mode, out=theirs)}
    if mode == 1:
        peers["column by column"] = columns
    expected = lambda: 2 * np.cumsum(x, axis=mode, dtype=np.float64)  # noqa: E731
    name, moved = f"{dtype} cumsum matrix mode {mode}", 2 * SIDE * SIDE * _size(dtype)
    return Case(name, dtype, text, (x, out), out, peers, expected, moved, "triad")
