"""Random valid kernels of the old tensor language, with arguments.

Everything is in bounds, initialised and free of races. Types are spelt by an inference of the generator's own, which is
a check of the compiler's. Layout is as wild as the grammar allows: line breaks inside instructions, several
instructions on a line, comments anywhere.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tilewright.runtime.groups import ArrayGroup

Array = NDArray[np.generic]
Argument = Array | np.generic | bool | ArrayGroup | list[Array]
DTYPES = {
    "i8": np.dtype(np.int8),
    "i16": np.dtype(np.int16),
    "i32": np.dtype(np.int32),
    "i64": np.dtype(np.int64),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
}
INTEGERS = ("i8", "i16", "i32", "i64", "index")
NARROWER = {"i16": ["i8"], "i32": ["i8", "i16"], "i64": ["i8", "i32"], "f32": ["i8", "i16"], "f64": ["f32", "i32"]}
GROUPS = 2
"""Work-groups of a launch: each has its own part of every array that is written."""


@dataclass(frozen=True)
class View:
    """A memref: extents and strides with what the type knows of them."""

    name: str
    dtype: str
    sizes: tuple[int, ...]
    known: tuple[bool, ...]
    strides: tuple[int | None, ...]

    @property
    def shape(self) -> tuple[int | None, ...]:
        """Extents as the type has them."""
        return tuple(s if k else None for s, k in zip(self.sizes, self.known, strict=True))

    @property
    def type(self) -> str:
        """The type as the old language spells it."""
        text = self.dtype + "".join(f"x{_spell(s)}" for s in self.shape)
        if self.strides != packed(self.shape):
            text += ",strided<" + ",".join(map(_spell, self.strides)) + ">"
        return f"memref<{text}>"


def _spell(extent: int | None) -> str:
    return "?" if extent is None else str(extent)


def packed(shape: Sequence[int | None]) -> tuple[int | None, ...]:
    """Strides of a packed column-major tensor."""
    found: list[int | None] = []
    stride: int | None = 1
    for extent in shape:
        found.append(stride)
        stride = None if stride is None or extent is None else stride * extent
    return tuple(found)


@dataclass
class OldKernel:
    """A kernel with its arguments in order; `comments` stand in the text in this order."""

    name: str
    text: str
    arguments: list[Argument]
    comments: list[str]

    def copy_arguments(self) -> list[Argument]:
        """Fresh copies."""
        return [_copy(a) for a in self.arguments]


def _copy(argument: Argument) -> Argument:
    if isinstance(argument, ArrayGroup):
        return ArrayGroup([np.array(a, order="K") for a in argument.arrays], argument.offset)
    if isinstance(argument, list):
        return [a.copy(order="K") for a in argument]
    return argument.copy(order="K") if isinstance(argument, np.ndarray) else argument


@dataclass
class _Writer:
    rnd: random.Random
    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Argument] = field(default_factory=list[Argument])
    comments: list[str] = field(default_factory=list[str])
    scalars: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    views: list[View] = field(default_factory=list[View])
    counter: int = 0
    depth: int = 1
    group_id: str = ""

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.depth + self._scatter(text) + self._comment())

    def _scatter(self, text: str) -> str:
        """Line breaks and comments between operands, rarely."""
        if self.rnd.random() > 0.08 or ", " not in text:
            return text
        first, _, rest = text.partition(", ")
        return f"{first},{self._comment()}\n      {rest}"

    def _comment(self) -> str:
        if self.rnd.random() > 0.06:
            return ""
        self.comments.append(f"; remark {len(self.comments)}: %x = constant")
        return f" {self.comments[-1]}\n" if self.rnd.random() < 0.3 else f" {self.comments[-1]}"

    def fresh(self, stem: str = "") -> str:
        """A new name: mostly a word, sometimes a number, with or without a leading zero."""
        self.counter += 1
        kind = self.rnd.random()
        if kind < 0.15:
            return f"%{self.counter}"
        return f"%0{self.counter}" if kind < 0.2 else f"%{stem or 'v'}{self.counter}"

    def literal(self, dtype: str) -> str:
        value = self.rnd.choice([0, 1, 1, 2, 3, -1])
        if dtype == "i1":
            return self.rnd.choice(["0", "1", "true", "false"])
        if dtype in INTEGERS:
            return self.rnd.choice(["true", str(value)]) if value == 1 else str(value)
        return self.rnd.choice([str(value), f"{value}.0", f"{value}.50", f"{value}e0", f"{value}.", "0x1.8p1", ".25"])

    def scalar(self, dtype: str, literals: bool = True) -> str:
        """An operand of a type."""
        names = [name for name, type_ in self.scalars if type_ == dtype]
        if names and (not literals or self.rnd.random() < 0.6):
            return self.rnd.choice(names)
        if literals:
            return self.literal(dtype)
        return self.parameter(dtype)

    def parameter(self, dtype: str) -> str:
        """A new scalar parameter."""
        name = self.fresh("p")
        self.parameters.append(f"{name}: {dtype}")
        value = self.rnd.randint(0, 3)
        if dtype == "i1":
            self.arguments.append(bool(value % 2))
        else:
            self.arguments.append(np.int64(value) if dtype == "index" else DTYPES[dtype].type(value))
        self.scalars.append((name, dtype))
        return name

    def define(self, dtype: str, text: str, stem: str = "") -> str:
        """An instruction with a scalar result."""
        name = self.fresh(stem)
        self.emit(f"{name} = {text}")
        self.scalars.append((name, dtype))
        return name

    def size(self) -> tuple[int, bool]:
        return self.rnd.randint(1, 7), self.rnd.random() < 0.6

    def array(self, dtype: str, sizes: Sequence[int]) -> Array:
        flat = [self.rnd.randint(-2, 3) for _ in range(int(np.prod(sizes, dtype=int)))]
        return np.array(flat, np.int64).reshape(sizes[::-1]).transpose().astype(DTYPES[dtype], order="F")

    def read_only(self, dtype: str, sizes: tuple[int, ...], known: tuple[bool, ...]) -> View:
        """A parameter that all groups read."""
        shape = [s if k else None for s, k in zip(sizes, known, strict=True)]
        view = View(self.fresh("A"), dtype, sizes, known, packed(shape))
        self.parameters.append(f"{view.name}: {view.type}")
        self.arguments.append(self.array(dtype, sizes))
        return view

    def own(self, dtype: str, sizes: tuple[int, ...], known: tuple[bool, ...]) -> View:
        """Memory that belongs to the group: a slice of a batch, an element of a group, or an allocation."""
        kind = self.rnd.random()
        if kind < 0.25 and all(known):
            return self._allocation(dtype, sizes, known)
        if kind < 0.45:
            return self._element(dtype, sizes, known)
        shape = [s if k else None for s, k in zip(sizes, known, strict=True)]
        batch = View(self.fresh("D"), dtype, (*sizes, GROUPS), (*known, False), packed([*shape, None]))
        self.parameters.append(f"{batch.name}: {batch.type}")
        self.arguments.append(self.array(dtype, batch.sizes))
        entries = [self.rnd.choice([":", "0:?", f"0:{s}" if k else ":"]) for s, k in zip(sizes, known, strict=True)]
        view = replace(batch, name=self.fresh("d"), sizes=sizes, known=known, strides=batch.strides[:-1])
        self.emit(f"{view.name} = subview {batch.name}[{','.join([*entries, self.group()])}] : {batch.type}")
        return view

    def _allocation(self, dtype: str, sizes: tuple[int, ...], known: tuple[bool, ...]) -> View:
        view = View(self.fresh("t"), dtype, sizes, known, packed(sizes))
        self.emit(f"{view.name} = alloca -> {view.type}")
        source = self.read_only(dtype, sizes, known)
        if len(sizes) < 3:
            self.axpby("1", source, "0", view, ".n")
        else:
            self.axpby("1", self.fused(source), "0", self.fused(view), ".n")
        return view

    def fused(self, view: View) -> View:
        """A packed view of order 3 as a matrix."""
        fused = replace(
            view,
            name=self.fresh("f"),
            sizes=(view.sizes[0] * view.sizes[1], view.sizes[2]),
            known=(view.known[0] and view.known[1], view.known[2]),
            strides=(view.strides[0], view.strides[2]),
        )
        self.emit(f"{fused.name} = fuse {view.name}[0,1] : {view.type}")
        return fused

    def axpby(self, alpha: str, a: View, beta: str, b: View, modifiers: str) -> None:
        """Both scalars are literals of the result's type."""
        self.emit(f"axpby{modifiers} {alpha}, {a.name}, {beta}, {b.name} : {a.dtype}, {a.type}, {b.dtype}, {b.type}")

    def _element(self, dtype: str, sizes: tuple[int, ...], known: tuple[bool, ...]) -> View:
        shape = [s if k else None for s, k in zip(sizes, known, strict=True)]
        view = View(self.fresh("g"), dtype, sizes, known, packed(shape))
        name, offset = self.fresh("G"), self.rnd.random() < 0.4
        type_ = f"group<{view.type}{', offset: ?' if offset else ''}>"
        self.parameters.append(f"{name}: {type_}")
        arrays = [self.array(dtype, sizes) for _ in range(GROUPS)]
        self.arguments.append(ArrayGroup(arrays) if offset else arrays)
        self.emit(f"{view.name} = load {name}[{self.group()}] : {type_}")
        return view

    def group(self) -> str:
        """The group id, read once, at the top."""
        if not self.group_id:
            self.group_id = self.fresh("id")
            self.lines.insert(0, f"  {self.group_id} = group_id")
            self.scalars.append((self.group_id, "index"))
        return self.group_id

    def types(self) -> tuple[str, str]:
        """Types of a result and of the operands."""
        target = self.rnd.choice(list(DTYPES))
        return target, self.rnd.choice([target, target, *NARROWER.get(target, [])])

    def factors(self, source: str, target: str, atomic: str) -> tuple[str, str, str, str]:
        """alpha, its type, beta, its type. A literal may be written with another type that it is exact in."""
        alpha, beta = self.scalar(source), self.rnd.choice(["0", "1", "1."]) if atomic else self.scalar(target)
        if target in INTEGERS:
            beta = beta.removesuffix(".")
        alpha_type, beta_type = source, target
        if alpha[0] != "%" and alpha.lstrip("-").isdigit() and self.rnd.random() < 0.3:
            alpha_type = self.rnd.choice(list(DTYPES))
        if beta[0] != "%" and beta.lstrip("-").isdigit() and self.rnd.random() < 0.3:
            beta_type = self.rnd.choice(list(DTYPES))
        return alpha, alpha_type, beta, beta_type

    def atomic(self) -> str:
        return ".atomic" if self.rnd.random() < 0.15 else ""


Dim = tuple[int, bool]


def _split(dims: Sequence[Dim]) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    return tuple(d[0] for d in dims), tuple(d[1] for d in dims)


def _collective(
    w: _Writer, mnemonic: str, modifiers: str, inputs: Sequence[Sequence[Dim]], output: Sequence[Dim]
) -> None:
    target, source = w.types()
    atomic = w.atomic()
    out = w.own(target, *_split(output))
    operands = [w.read_only(source, *_split(dims)) for dims in inputs]
    alpha, alpha_type, beta, beta_type = w.factors(source, target, atomic)
    names = ", ".join([alpha, *(v.name for v in operands), beta, out.name])
    types = ", ".join([alpha_type, *(v.type for v in operands), beta_type, out.type])
    w.emit(f"{mnemonic}{modifiers}{atomic} {names} : {types}")
    w.views.append(out)


def _turned(dims: Sequence[Dim], modifier: str) -> Sequence[Dim]:
    return dims[::-1] if modifier == ".t" and len(dims) == 2 else dims


def _axpby(w: _Writer) -> None:
    dims = [w.size() for _ in range(w.rnd.randint(0, 2))]
    turn = w.rnd.choice([".n", ".t"])
    _collective(w, "axpby", turn, [_turned(dims, turn)], dims)


def _sum(w: _Writer) -> None:
    dims = [w.size() for _ in range(w.rnd.randint(1, 2))]
    turn = w.rnd.choice([".n", ".t"])
    _collective(w, "sum", turn, [_turned(dims, turn)], dims[: len(dims) - 1])


def _gemm(w: _Writer) -> None:
    m, n, k = w.size(), w.size(), w.size()
    a, b = w.rnd.choice([".n", ".t"]), w.rnd.choice([".n", ".t"])
    _collective(w, "gemm", a + b, [_turned([m, k], a), _turned([k, n], b)], [m, n])


def _gemv(w: _Writer) -> None:
    m, k = w.size(), w.size()
    turn = w.rnd.choice([".n", ".t"])
    _collective(w, "gemv", turn, [_turned([m, k], turn), [k]], [m])


def _ger(w: _Writer) -> None:
    m, n = w.size(), w.size()
    _collective(w, "ger", "", [[m], [n]], [m, n])


def _hadamard(w: _Writer) -> None:
    dims = [w.size() for _ in range(w.rnd.randint(1, 2))]
    _collective(w, w.rnd.choice(["hadamard", "hadamard_product"]), "", [dims, dims], dims)


def _arithmetic(w: _Writer) -> None:
    """Scalars of any type."""
    for _ in range(w.rnd.randint(1, 4)):
        dtype = w.rnd.choice([*INTEGERS, "f32", "f64", "i1", "i1"])
        if dtype == "i1":
            _logic(w)
            continue
        names = ["add", "sub", "mul"] + (["shl", "shr", "and", "or", "xor"] if dtype in INTEGERS else [])
        kind = w.rnd.random()
        if kind < 0.5:
            text = f"arith.{w.rnd.choice(names)} {w.scalar(dtype)}, {_small(w, dtype)} : {dtype}"
            w.define(dtype, text)
        elif kind < 0.6:
            w.define(dtype, f"arith.{w.rnd.choice(['div', 'rem'])} {w.scalar(dtype)}, {w.rnd.choice('123')} : {dtype}")
        elif kind < 0.75:
            name = "neg" if dtype not in INTEGERS else w.rnd.choice(["neg", "not"])
            w.define(dtype, f"arith.{name} {w.scalar(dtype)} : {dtype}")
        else:
            _cast(w, dtype)


def _small(w: _Writer, dtype: str) -> str:
    """An operand that is a valid shift amount as well."""
    return w.rnd.choice(["1", "2", w.parameter(dtype)])


def _cast(w: _Writer, dtype: str) -> None:
    target = w.rnd.choice([*INTEGERS, "f32", "f64", "i1"])
    w.define(target, f"cast {w.scalar(dtype)} : {dtype} -> {target}")


def _logic(w: _Writer) -> None:
    kind = w.rnd.random()
    if kind < 0.4:
        dtype = w.rnd.choice([*INTEGERS, "f32", "f64"])
        name = w.rnd.choice(["eq", "ne", "gt", "ge", "lt", "le"])
        w.define("i1", f"cmp.{name} {w.scalar(dtype)}, {w.scalar(dtype)} : {dtype}", "b")
    elif kind < 0.6:
        w.define("i1", f"cmp.{w.rnd.choice(['eq', 'ne'])} {w.scalar('i1')}, {w.scalar('i1')} : i1", "b")
    elif kind < 0.8:
        w.define("i1", f"arith.{w.rnd.choice(['and', 'or', 'xor'])} {w.scalar('i1')}, {w.scalar('i1')} : i1", "b")
    elif kind < 0.9:
        w.define("i1", f"arith.not {w.scalar('i1')} : i1", "b")
    else:
        _cast(w, "i1")


def _store(w: _Writer) -> None:
    """Scalars reach memory, or nothing would depend on them."""
    dtype = w.rnd.choice([*DTYPES, "f32", "f64"])
    sizes = tuple(w.rnd.randint(1, 5) for _ in range(w.rnd.randint(0, 3)))
    out = w.own(dtype, sizes, tuple(w.rnd.random() < 0.6 for _ in sizes))
    value = w.scalar(dtype, literals=False)
    at = ",".join(_index(w, s) for s in sizes)
    loaded = w.define(dtype, f"load {out.name}[{at}] : {out.type}")
    total = w.define(dtype, f"arith.add {loaded}, {value} : {dtype}")
    w.emit(f"store {total}, {out.name}[{at}] : {out.type}")


def _index(w: _Writer, size: int) -> str:
    """An index that is in bounds: a literal, or the remainder of a parameter."""
    if w.rnd.random() < 0.6:
        return str(w.rnd.randrange(size))
    return w.define("index", f"arith.rem {w.parameter('index')}, {size} : index")


def _views(w: _Writer) -> None:
    """A chain of views over a matrix or tensor, with an update through the last one."""
    dtype = w.rnd.choice(list(DTYPES))
    dims = [(w.rnd.choice([2, 4, 6, 12]), w.rnd.random() < 0.6) for _ in range(w.rnd.randint(1, 3))]
    view = w.own(dtype, *_split(dims))
    for _ in range(w.rnd.randint(1, 3)):
        view = w.rnd.choice([_slice, _slice, _expand, _fuse])(w, view)
    while len(view.sizes) > 2:
        view = _slice(w, view, drop=len(view.sizes) - 1)
    source = w.read_only(dtype, view.sizes, view.known)
    w.axpby(w.literal("i32"), source, "1", view, ".n")


def _slice(w: _Writer, view: View, drop: int | None = None) -> View:
    entries: list[str] = []
    kept: list[tuple[int, bool, int | None]] = []
    for mode, (size, known, stride) in enumerate(zip(view.sizes, view.known, view.strides, strict=True)):
        if mode == drop or (drop is None and len(view.sizes) > 1 and w.rnd.random() < 0.15):
            entries.append(_index(w, size))
            continue
        entry, length, is_known = _range(w, size, known)
        entries.append(entry)
        kept.append((length, is_known, stride))
    result = View(
        w.fresh("s"), view.dtype, tuple(k[0] for k in kept), tuple(k[1] for k in kept), tuple(k[2] for k in kept)
    )
    w.emit(f"{result.name} = subview {view.name}[{','.join(entries)}] : {view.type}")
    return result


def _range(w: _Writer, size: int, known: bool) -> tuple[str, int, bool]:
    """An entry of a subview, with the size it gives and whether the type knows it."""
    begin = w.rnd.randrange(size)
    match w.rnd.randrange(6):
        case 0:
            return ":", size, known
        case 1:
            return f"{begin}:?", size - begin, known
        case 2:
            length = w.rnd.randint(1, size - begin)
            return f"{begin}:{length}", length, True
        case 3:
            name = w.parameter("index")
            w.arguments[-1] = np.int64(begin)
            return f"{name}:?", size - begin, False
        case 4:
            name = w.parameter("index")
            w.arguments[-1] = np.int64(begin)
            return f"{name}:1", 1, True
        case _:
            first, length = w.parameter("index"), w.parameter("index")
            w.arguments[-2:] = [np.int64(begin), np.int64(size - begin)]
            return f"{first} : {length}", size - begin, False


def _expand(w: _Writer, view: View) -> View:
    if not view.sizes:
        return view
    mode = w.rnd.randrange(len(view.sizes))
    size, known, stride = view.sizes[mode], view.known[mode], view.strides[mode]
    factor = w.rnd.choice([d for d in range(1, size + 1) if size % d == 0])
    entries: list[str] = []
    sizes = (factor, size // factor) if w.rnd.random() < 0.5 else (size // factor, factor)
    open_ = w.rnd.randrange(3)
    is_known: list[bool] = []
    by_value = w.rnd.random() < 0.3
    for index, extent in enumerate(sizes):
        if index == open_:
            entries.append("?")
        elif by_value:
            name = w.parameter("index")
            w.arguments[-1] = np.int64(extent)
            entries.append(name)
        else:
            entries.append(str(extent))
        is_known.append(entries[-1].isdigit() or (index == open_ and known and not by_value))
    inner = stride * sizes[0] if stride is not None and is_known[0] else None
    result = View(
        w.fresh("e"),
        view.dtype,
        (*view.sizes[:mode], *sizes, *view.sizes[mode + 1 :]),
        (*view.known[:mode], *is_known, *view.known[mode + 1 :]),
        (*view.strides[:mode], stride, inner, *view.strides[mode + 1 :]),
    )
    w.emit(f"{result.name} = expand {view.name}[{mode}->{' x '.join(entries)}] : {view.type}")
    return result


def _fuse(w: _Writer, view: View) -> View:
    """The first two modes of a view without gaps; any other view comes back as it is."""
    if len(view.sizes) < 2 or view.strides != packed(view.shape) or not (view.known[0] and view.strides[1]):
        return view
    result = View(
        w.fresh("f"),
        view.dtype,
        (view.sizes[0] * view.sizes[1], *view.sizes[2:]),
        (view.known[0] and view.known[1], *view.known[2:]),
        (view.strides[0], *view.strides[2:]),
    )
    w.emit(f"{result.name} = fuse {view.name}[0,1] : {view.type}")
    return result


def _nested(w: _Writer, body: Callable[[], None], head: str, tail: str = "}") -> None:
    scalars, views = len(w.scalars), len(w.views)
    w.emit(f"{head} {{")
    w.depth += 1
    body()
    w.depth -= 1
    kept = [s for s in w.scalars[scalars:] if any(p.startswith(f"{s[0]}:") for p in w.parameters)]
    w.scalars[scalars:] = kept
    del w.views[views:]
    w.emit(tail)


def _for(w: _Writer) -> None:
    type_ = w.rnd.choice([*INTEGERS, ""])
    dtype = type_ or "index"
    name, upper = w.fresh("i"), w.rnd.choice([str(w.rnd.randint(0, 3)), w.parameter(dtype)])
    step = w.rnd.choice(["", "", ",1", ", 2"])
    where = f" : {type_}" if type_ else ""

    def body() -> None:
        w.scalars.append((name, dtype))
        w.rnd.choice([_arithmetic, _axpby_in_place, _statement])(w)

    _nested(w, body, f"for {name} = {w.rnd.choice('01')}, {upper}{step}{where}")


def _axpby_in_place(w: _Writer) -> None:
    """An update of memory that is in scope, if there is some."""
    fitting = [v for v in w.views if len(v.sizes) < 3]
    if fitting:
        out = w.rnd.choice(fitting)
        w.axpby(w.literal("i32"), w.read_only(out.dtype, out.sizes, out.known), w.rnd.choice("01"), out, ".n")


def _if(w: _Writer) -> None:
    types = [w.rnd.choice([*INTEGERS, "f32", "f64", "i1"]) for _ in range(w.rnd.randint(0, 2))]
    condition = w.scalar("i1")

    def body() -> None:
        if w.rnd.random() < 0.6:
            _arithmetic(w)
        if types:
            w.emit(f"yield {', '.join(w.scalar(t) for t in types)} : {', '.join(types)}")
        elif w.rnd.random() < 0.3:
            w.emit("yield :")

    names = [w.fresh("r") for _ in types]
    head = f"if {condition}"
    if types:
        named = w.rnd.random() < 0.9
        head = f"{', '.join(names)} = {head} -> ({', '.join(types)})" if named else f"{head} -> ({', '.join(types)})"
        names = names if named else []
    _nested(w, body, head, "} else {" if types else "}")
    if types:
        scalars = len(w.scalars)
        w.depth += 1
        body()
        w.depth -= 1
        kept = [s for s in w.scalars[scalars:] if any(p.startswith(f"{s[0]}:") for p in w.parameters)]
        w.scalars[scalars:] = kept
        w.emit("}")
    w.scalars += list(zip(names, types, strict=False))


def _foreach(w: _Writer) -> None:
    """Every work-item changes elements of its own."""
    dtype = w.rnd.choice(list(DTYPES))
    size, known = w.size()
    out = w.own(dtype, (size,), (known,))
    type_ = w.rnd.choice(["", "", "i32", "i16"])
    upper = str(size) if known or type_ else w.define("index", f"size {out.name}[0] : {out.type}", "n")
    name = w.fresh("i")

    def body() -> None:
        at = name
        w.scalars.append((name, type_ or "index"))
        if type_:
            at = w.define("index", f"cast {name} : {type_} -> index")
        value = w.define(dtype, f"load {out.name}[{at}] : {out.type}")
        w.rnd.choice([_arithmetic, _if, _arithmetic])(w)
        total = w.define(dtype, f"arith.add {value}, {w.scalar(dtype)} : {dtype}")
        w.emit(f"store {total}, {out.name}[{at}] : {out.type}")

    _nested(w, body, f"foreach {name}=0,{upper}{f' : {type_}' if type_ else ''}")


def _lifetime(w: _Writer) -> None:
    """An allocation that is given up again."""
    dtype, size = w.rnd.choice(list(DTYPES)), w.rnd.randint(1, 6)
    view, out = View(w.fresh("t"), dtype, (size,), (True,), (1,)), w.own(dtype, (size,), (True,))
    w.emit(f"{view.name} = alloca -> {view.type}")
    w.axpby("2", out, "0", view, ".n")
    if w.rnd.random() < 0.5:
        w.emit("barrier")
    w.axpby("1", view, "1", out, ".n")
    w.emit(f"lifetime_stop {view.name}")


def _ids(w: _Writer) -> None:
    w.define("index", "group_size", "n")
    w.define("index", f"arith.add {w.group()}, 1 : index")


_STATEMENTS: Sequence[Callable[[_Writer], None]] = (
    *(_axpby, _sum, _gemm, _gemm, _gemv, _ger, _hadamard),
    *(_arithmetic, _arithmetic, _store, _store, _views, _views, _views),
    *(_for, _for, _if, _if, _foreach, _foreach, _lifetime, _ids),
)


def _statement(w: _Writer) -> None:
    w.rnd.choice(_STATEMENTS[:14])(w)


def generate(rnd: random.Random, name: str = "k") -> OldKernel:
    """A random kernel of a few statements, for `GROUPS` work-groups."""
    w = _Writer(rnd)
    for _ in range(rnd.randint(1, 5)):
        rnd.choice(_STATEMENTS)(w)
    attributes = rnd.choice(["", "", "subgroup_size(16) ", "work_group_size(32,2) subgroup_size(16) "])
    head = f"func @{name}({', '.join(w.parameters)}) {attributes}{{"
    text = "\n".join([head, *w.lines, "}"]) + "\n"
    return OldKernel(name, _on_one_line(rnd, text), w.arguments, w.comments)


def _on_one_line(rnd: random.Random, text: str) -> str:
    """Now and then two lines become one."""
    lines = text.split("\n")
    joined = lines[:1]
    for line in lines[1:]:
        if rnd.random() < 0.05 and ";" not in joined[-1] and line:
            joined[-1] += " " + line.strip()
        else:
            joined.append(line)
    return "\n".join(joined)
