"""Random valid kernels of the tensor language, with arguments.

Everything is in bounds, initialised and free of races, so that every target must give the interpreter's answer.
Elements are small integers in every type: then sums are exact in any order, and floating-point results agree bit for
bit unless an elementary function is involved (`Generated.exact`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

DTYPES: dict[str, np.dtype[np.generic]] = {
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "c32": np.dtype(np.complex64),
    "c64": np.dtype(np.complex128),
}
SMALLER = {  # types that may be promoted to the key, other than itself
    "i16": ["i8"],
    "i32": ["i8", "i16"],
    "i64": ["i8", "i32"],
    "bf16": ["i8"],
    "f16": ["i8"],
    "f32": ["bf16", "f16", "i8"],
    "f64": ["f32", "i32"],
    "c32": ["f32"],
    "c64": ["f64", "c32"],
}
Array = NDArray[np.generic]
Argument = Array | np.generic


@dataclass(frozen=True)
class Dim:
    """An extent: its value, and whether types spell it or leave it to the launch."""

    size: int
    static: bool

    def __str__(self) -> str:
        return str(self.size) if self.static else "?"


@dataclass(frozen=True)
class Buffer:
    """A memref that instructions may use."""

    name: str
    dtype: str
    dims: tuple[Dim, ...]


@dataclass
class Generated:
    """A kernel `k` for one work-group, with its arguments in order."""

    text: str
    arguments: list[Argument]
    exact: bool

    def copy_arguments(self) -> list[Argument]:
        """Fresh copies, strides kept."""
        return [_copy(a) for a in self.arguments]


def _copy(argument: Argument) -> Argument:
    """A copy with the same strides."""
    if not isinstance(argument, np.ndarray) or argument.ndim == 0:
        return argument.copy()
    base = np.empty(argument.shape[::-1], argument.dtype).transpose()
    if base.strides != argument.strides:
        base = _padded(argument.shape, argument.dtype)
    base[...] = argument
    return base


def _padded(shape: Sequence[int], dtype: np.dtype[np.generic]) -> Array:
    """A column-major array with gaps between its columns."""
    whole = np.zeros([s + 3 for s in reversed(shape)], dtype).transpose()
    return whole[tuple(slice(0, s) for s in shape)]


@dataclass
class _Writer:
    rnd: random.Random
    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Argument] = field(default_factory=list[Argument])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    counter: int = 0
    depth: int = 1
    exact: bool = True

    def emit(self, text: str) -> None:
        self.lines.append("    " * self.depth + text)

    def fresh(self, stem: str) -> str:
        self.counter += 1
        return f"%{stem}{self.counter}"

    def constant(self, dtype: str, value: int) -> str:
        """A constant of any number type or index."""
        name = self.fresh("c")
        spelled = {"f": f"{value}.0", "b": f"{value}.0", "c": f"[{value}.0, 0.0]"}.get(dtype[0], str(value))
        self.emit(f"{name} = constant {spelled} : {dtype}")
        return name

    def index(self, value: int) -> str:
        return self.constant("index", value)

    def scalar(self, dtype: str) -> str:
        """A scalar operand: a constant or a parameter."""
        value = self.rnd.choice([0, 1, 1, 2, -1])
        if self.depth == 1 and self.rnd.random() < 0.3:
            name = self.fresh("p")
            self.parameters.append(f"{name}: {dtype}")
            self.arguments.append(DTYPES[dtype].type(value))
            return name
        return self.constant(dtype, value)

    def dim(self, low: int = 1, high: int = 9) -> Dim:
        return Dim(self.rnd.randint(low, high), self.rnd.random() < 0.6)

    def values(self, dtype: str, shape: Sequence[int]) -> Array:
        low = -3 if dtype != "i8" else -2
        flat = [self.rnd.randint(low, 3) for _ in range(int(np.prod(shape, dtype=int)))]
        return np.array(flat, dtype=np.int64).reshape(shape[::-1]).transpose().astype(DTYPES[dtype], order="F")

    def parameter(self, dtype: str, dims: tuple[Dim, ...], packed: bool = False) -> Buffer:
        name = self.fresh("m")
        shape = [d.size for d in dims]
        array = self.values(dtype, shape)
        text = f"memref<{dtype}" + "".join(f"x{d}" for d in dims)
        if not packed and len(dims) > 1 and self.rnd.random() < 0.3:
            view = _padded(shape, DTYPES[dtype])
            view[...] = array
            array = view
            strides = ["1" if self.rnd.random() < 0.8 else "?"] + ["?"] * (len(dims) - 1)
            text += ",strided<" + ",".join(strides) + ">"
        self.parameters.append(f"{name}: {text}>")
        self.arguments.append(array)
        buffer = Buffer(name, dtype, dims)
        self.buffers.append(buffer)
        return buffer

    def buffer(self, dtype: str, dims: tuple[Dim, ...], avoid: Sequence[Buffer] = ()) -> Buffer:
        """An existing memref of that type, a new parameter, or a new initialised allocation."""
        fitting = [b for b in self.buffers if (b.dtype, b.dims) == (dtype, dims) and b not in avoid]
        if fitting and self.rnd.random() < 0.6:
            return self.rnd.choice(fitting)
        if all(d.static for d in dims) and len(dims) <= 2 and self.rnd.random() < 0.25:
            return self.allocation(dtype, dims)
        return self.parameter(dtype, dims)

    def allocation(self, dtype: str, dims: tuple[Dim, ...]) -> Buffer:
        source = self.parameter(dtype, dims)
        buffer = Buffer(self.fresh("t"), dtype, dims)
        shape = "".join(f"x{d}" for d in dims)
        self.emit(f"{buffer.name} = alloca : memref<{dtype}{shape},local>")
        one, zero = self.constant(dtype, 1), self.constant(dtype, 0)
        self.emit(f"axpby {one}, {source.name}, {zero}, {buffer.name}")
        if self.depth == 1:
            self.buffers.append(buffer)
        return buffer

    def operand_type(self, target: str) -> str:
        return self.rnd.choice([target, target, *SMALLER.get(target, [])])

    def beta(self, dtype: str, atomic: str) -> str:
        return self.constant(dtype, self.rnd.choice([0, 1])) if atomic else self.scalar(dtype)

    def atomic(self) -> str:
        return ".atomic" if self.rnd.random() < 0.1 else ""


def _transposed(dims: tuple[Dim, ...], transpose: str) -> tuple[Dim, ...]:
    return dims[::-1] if transpose == ".t" else dims


def _axpby(w: _Writer, dtype: str) -> None:
    dims = tuple(w.dim() for _ in range(w.rnd.randint(0, 2)))
    transpose, atomic = w.rnd.choice(["", ".n", ".t"]), w.atomic()
    b = w.buffer(dtype, dims)
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed(dims, transpose), [b])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"axpby{atomic}{transpose} {alpha}, {a.name}, {w.beta(dtype, atomic)}, {b.name}")


def _sum(w: _Writer, dtype: str) -> None:
    order = w.rnd.randint(0, 1)
    dims = tuple(w.dim(1, 20) for _ in range(order + 1))
    transpose, atomic = w.rnd.choice(["", ".n", ".t"]), w.atomic()
    b = w.buffer(dtype, dims[:order])
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed(dims, transpose) if order else dims, [b])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"sum{atomic}{transpose} {alpha}, {a.name}, {w.beta(dtype, atomic)}, {b.name}")


def _cumsum(w: _Writer, dtype: str) -> None:
    dims = tuple(w.dim() for _ in range(w.rnd.randint(1, 3)))
    mode, atomic = w.rnd.randrange(len(dims)), w.atomic()
    b = w.buffer(dtype, dims)
    source = w.operand_type(dtype)
    a = w.buffer(source, dims, [b])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"cumsum{atomic} {alpha}, {a.name}, {mode}, {w.beta(dtype, atomic)}, {b.name}")


def _gemm(w: _Writer, dtype: str) -> None:
    m, n, k = w.dim(1, 20), w.dim(1, 12), w.dim(1, 12)
    ta, tb = w.rnd.choice([("", ""), (".t", ""), (".n", ".t"), (".t", ".t"), (".n", ".n")])
    atomic = w.atomic()
    c = w.buffer(dtype, (m, n))
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed((m, k), ta), [c])
    b = w.buffer(source, _transposed((k, n), tb), [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"gemm{atomic}{ta}{tb} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def _gemv(w: _Writer, dtype: str) -> None:
    m, k = w.dim(1, 20), w.dim(1, 20)
    transpose, atomic = w.rnd.choice(["", ".n", ".t"]), w.atomic()
    c = w.buffer(dtype, (m,))
    source = w.operand_type(dtype)
    a = w.buffer(source, _transposed((m, k), transpose), [c])
    b = w.buffer(source, (k,), [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"gemv{atomic}{transpose} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def _ger(w: _Writer, dtype: str) -> None:
    m, n, atomic = w.dim(1, 20), w.dim(), w.atomic()
    c = w.buffer(dtype, (m, n))
    source = w.operand_type(dtype)
    a, b = w.buffer(source, (m,), [c]), w.buffer(source, (n,), [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"ger{atomic} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def _hadamard(w: _Writer, dtype: str) -> None:
    dims, atomic = tuple(w.dim(1, 12) for _ in range(w.rnd.randint(1, 2))), w.atomic()
    c = w.buffer(dtype, dims)
    source = w.operand_type(dtype)
    a, b = w.buffer(source, dims, [c]), w.buffer(source, dims, [c])
    alpha = w.scalar(w.operand_type(source))
    w.emit(f"hadamard{atomic} {alpha}, {a.name}, {b.name}, {w.beta(dtype, atomic)}, {c.name}")


def _arithmetic(w: _Writer, dtype: str, values: list[str]) -> None:
    """A few scalar operations on `values`, appending to it."""
    binary = ["add", "sub", "mul"]
    unary = ["neg"]
    if dtype[0] in "if" or dtype == "bf16":
        binary += ["max", "min", "rem", "div"] if dtype[0] == "i" else ["max", "min"]
        unary += ["abs"]
    if dtype[0] == "i":
        binary += ["and", "or", "xor", "shl", "shr"]
        unary += ["not"]
    for _ in range(w.rnd.randint(1, 4)):
        name = w.fresh("v")
        if w.rnd.random() < 0.75:
            op = w.rnd.choice(binary)
            # the first two are no constants, which may not be 0 as divisors
            right = w.rnd.choice(values[:2] if op in ("div", "rem") else values)
            w.emit(f"{name} = {op} {w.rnd.choice(values)}, {right} : {dtype}")
        else:
            w.emit(f"{name} = {w.rnd.choice(unary)} {w.rnd.choice(values)} : {dtype}")
        values.append(name)
    if dtype in ("f32", "f64") and w.rnd.random() < 0.15:
        name, bounded = w.fresh("v"), w.fresh("v")
        limit = w.constant(dtype, 4)
        w.emit(f"{bounded} = min {values[-1]}, {limit} : {dtype}")
        w.emit(f"{name} = {w.rnd.choice(['exp', 'sin', 'cos', 'exp2'])} {bounded} : {dtype}")
        values.append(name)
        w.exact = False
    if dtype[0] != "c" and w.rnd.random() < 0.4:
        _choice(w, dtype, values)


def _choice(w: _Writer, dtype: str, values: list[str]) -> None:
    """A value by a branch."""
    flag, name = w.fresh("b"), w.fresh("v")
    compare = w.rnd.choice(["less_than", "greater_than_equal", "equal", "not_equal"])
    w.emit(f"{flag} = {compare} {w.rnd.choice(values)}, {w.rnd.choice(values)} : bool")
    w.emit(f"{name} = if {flag} -> ({dtype}) {{")
    w.depth += 1
    inner = w.fresh("v")
    w.emit(f"{inner} = add {w.rnd.choice(values)}, {w.rnd.choice(values)} : {dtype}")
    w.emit(f"yield ({inner})")
    w.depth -= 1
    w.emit("} else {")
    w.emit(f"    yield ({w.rnd.choice(values)})")
    w.emit("}")
    values.append(name)


def _foreach(w: _Writer, dtype: str) -> None:
    """Elementwise work over a whole memref, reading others at the same place."""
    dims = tuple(w.dim(1, 24) for _ in range(w.rnd.randint(1, 2)))
    out = w.buffer(dtype, dims)
    source = w.buffer(dtype, dims, [out])
    zeros = [w.index(0) for _ in dims]
    sizes: list[str] = []
    for mode, d in enumerate(dims):
        sizes.append(w.fresh("n"))
        value = f"constant {d.size}" if d.static else f"size {out.name}[{mode}]"
        w.emit(f"{sizes[-1]} = {value} : index")
    scale = w.scalar(dtype)
    names = [w.fresh("i") for _ in dims]
    w.emit(f"foreach ({','.join(names)})=({','.join(zeros)}),({','.join(sizes)}) {{")
    w.depth += 1
    at = ",".join(names)
    x, y = w.fresh("v"), w.fresh("v")
    w.emit(f"{x} = load {source.name}[{at}] : {dtype}")
    w.emit(f"{y} = load {out.name}[{at}] : {dtype}")
    values = [x, y, scale]
    _arithmetic(w, dtype, values)
    w.emit(f"store {values[-1]}, {out.name}[{at}]")
    w.depth -= 1
    w.emit("}")


def _parallel(w: _Writer, dtype: str) -> None:
    """Work-items with subgroup operations; each writes its own element of a vector of the work-group's size."""
    out = w.parameter(dtype, (Dim(64, True),))
    w.emit("parallel {")
    w.depth += 1
    lane, group, size = w.fresh("l"), w.fresh("s"), w.fresh("z")
    w.emit(f"{lane} = subgroup_local_id : i32")
    w.emit(f"{group} = subgroup_linear_id : i32")
    w.emit(f"{size} = subgroup_size : i32")
    base, item, at = w.fresh("v"), w.fresh("v"), w.fresh("i")
    w.emit(f"{base} = mul {group}, {size} : i32")
    w.emit(f"{item} = add {base}, {lane} : i32")
    w.emit(f"{at} = cast {item} : index")
    x, number = w.fresh("v"), w.fresh("v")
    w.emit(f"{x} = load {out.name}[{at}] : {dtype}")
    if dtype[0] == "i" or dtype in ("f32", "f64"):
        w.emit(f"{number} = cast {lane} : {dtype}")
    else:
        number = x
    values = [x, number]
    _arithmetic(w, dtype, values)
    kinds = ["add"] if dtype[0] == "c" or not w.exact else ["add", "max", "min"]
    if w.exact:
        name = w.fresh("v")
        form = w.rnd.choice(["reduce", "inclusive_scan", "exclusive_scan"])
        kind = w.rnd.choice(kinds)
        if form != "exclusive_scan" or kind == "add":
            w.emit(f"{name} = subgroup_{form}_{kind} {x} : {dtype}")
            values.append(name)
    if w.rnd.random() < 0.5:
        _loop_in_spmd(w, dtype, lane, values)
    w.emit(f"store {values[-1]}, {out.name}[{at}]")
    w.depth -= 1
    w.emit("}")


def _loop_in_spmd(w: _Writer, dtype: str, lane: str, values: list[str]) -> None:
    """A loop whose trip count differs by work-item."""
    zero, result, i, acc, following = (w.fresh("v") for _ in range(5))
    four, bound = w.constant("i32", 4), w.fresh("v")
    w.emit(f"{bound} = rem {lane}, {four} : i32")
    w.emit(f"{zero} = constant 0 : i32")
    w.emit(f"{result} = for {i}={zero},{bound} init({acc}={values[0]})->({dtype}) {{")
    w.emit(f"    {following} = add {acc}, {values[1]} : {dtype}")
    w.emit(f"    yield ({following})")
    w.emit("}")
    values.append(result)


def _foreach_tile(w: _Writer, dtype: str) -> None:
    """Cooperative matrices over a matrix, with checked remainders."""
    dims = (w.dim(1, 40), w.dim(1, 12))
    out, source = w.parameter(dtype, dims), w.parameter(dtype, dims)
    zero = w.index(0)
    rows, columns = w.fresh("n"), w.fresh("n")
    w.emit(f"{rows} = size {out.name}[0] : index")
    w.emit(f"{columns} = size {out.name}[1] : index")
    i, j, h, v = (w.fresh("i") for _ in range(4))
    width = w.rnd.choice([4, 8])
    w.emit(f"foreach_tile ({i},{j})=({zero},{zero}),({rows},{columns}) as ({h},{v})<=(16,{width}) {{")
    w.depth += 1
    matrix = f"coopmatrix<{dtype}x16x{width},matrix_acc>"
    x, y, z = w.fresh("x"), w.fresh("x"), w.fresh("x")
    w.emit(f"{x} = cooperative_matrix_load.both_checked {source.name}[{i},{j}] : {matrix}")
    w.emit(f"{y} = cooperative_matrix_load.both_checked {out.name}[{i},{j}] : {matrix}")
    w.emit(f"{z} = {w.rnd.choice(['add', 'sub', 'mul'])} {x}, {y} : {matrix}")
    w.emit(f"cooperative_matrix_store.both_checked {z}, {out.name}[{i},{j}]")
    w.depth -= 1
    w.emit("}")


def _mul_add(w: _Writer, dtype: str) -> None:
    """A product of cooperative matrices in one subgroup."""
    k, n = w.rnd.choice([4, 8]), w.rnd.choice([4, 8])
    a = w.parameter(dtype, (Dim(16, True), Dim(k, True)))
    b = w.parameter(dtype, (Dim(k, True), Dim(n, True)))
    c = w.parameter(dtype, (Dim(16, True), Dim(n, True)))
    w.emit("parallel {")
    w.depth += 1
    first, zero32, group = w.fresh("b"), w.constant("i32", 0), w.fresh("s")
    w.emit(f"{group} = subgroup_linear_id : i32")
    w.emit(f"{first} = equal {group}, {zero32} : bool")
    w.emit(f"if {first} {{")
    w.depth += 1
    zero = w.index(0)
    x, y, z, p = (w.fresh("x") for _ in range(4))
    w.emit(f"{x} = cooperative_matrix_load {a.name}[{zero},{zero}] : coopmatrix<{dtype}x16x{k},matrix_a>")
    w.emit(f"{y} = cooperative_matrix_load {b.name}[{zero},{zero}] : coopmatrix<{dtype}x{k}x{n},matrix_b>")
    w.emit(f"{z} = cooperative_matrix_load {c.name}[{zero},{zero}] : coopmatrix<{dtype}x16x{n},matrix_acc>")
    w.emit(f"{p} = cooperative_matrix_mul_add {x}, {y}, {z} : coopmatrix<{dtype}x16x{n},matrix_acc>")
    w.emit(f"cooperative_matrix_store {p}, {c.name}[{zero},{zero}]")
    w.depth -= 2
    w.emit("    }")
    w.emit("}")


def _loop(w: _Writer, dtype: str) -> None:
    """A uniform loop around a collective."""
    low, high = w.index(0), w.index(w.rnd.randint(0, 3))
    out = w.buffer(dtype, (w.dim(), w.dim()))
    one = w.constant(dtype, 1)
    source = w.buffer(dtype, out.dims, [out])
    i = w.fresh("i")
    w.emit(f"for {i}={low},{high} {{")
    w.emit(f"    axpby {one}, {source.name}, {one}, {out.name}")
    w.emit("}")


def _subview(w: _Writer, dtype: str) -> None:
    """An update of a part of a matrix at a run-time or literal offset."""
    rows, columns = w.rnd.randint(2, 12), w.rnd.randint(2, 8)
    whole = w.parameter(dtype, (Dim(rows, True), Dim(columns, w.rnd.random() < 0.5)), packed=True)
    h, v = w.rnd.randint(1, rows), w.rnd.randint(1, columns)
    r, c = w.rnd.randint(0, rows - h), w.rnd.randint(0, columns - v)
    offset = w.index(c) if w.rnd.random() < 0.5 else str(c)
    view = w.fresh("w")
    source = w.parameter(dtype, (Dim(h, True), Dim(v, True)))
    text = f"memref<{dtype}x{h}x{v},strided<1,{rows}>>"
    if h == rows:
        text = f"memref<{dtype}x{h}x{v}>"
    w.emit(f"{view} = subview {whole.name}[{r}:{h},{offset}:{v}] : {text}")
    w.emit(f"axpby {w.scalar(dtype)}, {source.name}, {w.scalar(dtype)}, {view}")


_STATEMENTS: list[Callable[[_Writer, str], None]] = [
    _axpby,
    _sum,
    _cumsum,
    _gemm,
    _gemm,
    _gemv,
    _ger,
    _hadamard,
    _foreach,
    _foreach,
    _parallel,
    _foreach_tile,
    _mul_add,
    _loop,
    _subview,
]


def generate(rnd: random.Random) -> Generated:
    """A random kernel of one to three statements over one or two element types."""
    w = _Writer(rnd)
    dtype = rnd.choice(list(DTYPES))
    for _ in range(rnd.randint(1, 3)):
        statement = rnd.choice(_STATEMENTS)
        if statement in (_foreach_tile, _mul_add) and dtype in ("i8", "bf16", "f16"):
            statement = _foreach
        statement(w, dtype)
    attributes = "attributes{subgroup_size=16,work_group_size=[32,2]} "
    head = f"func @k({', '.join(w.parameters)}) {attributes}{{"
    return Generated("\n".join([head, *w.lines, "}"]) + "\n", w.arguments, w.exact)
