"""Parts of random old kernels: parameters, operands, memory of the group's own, comments and line breaks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from generators.arguments import Argument, displaced, guarded
from tilewright.runtime.groups import ArrayGroup

Array = NDArray[np.generic]
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
Dim = tuple[int, bool]
"""An extent, and whether types spell it."""
GROUPS = 2
"""Work-groups of a launch: each has its own part of every array that is written."""


class Common(Enum):
    """How all work-groups update memory that they have in common, in place of parts of their own."""

    PLAINLY = ""
    ATOMICALLY = ".atomic"


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
class Writer:
    """The text of a kernel so far, and what instructions may use."""

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
    common: Common | None = None
    races: bool = False

    def emit(self, text: str) -> None:
        self.lines.append("  " * self.depth + self._scatter(text) + self._comment())

    def _scatter(self, text: str) -> str:
        """Line breaks and comments inside of an instruction, rarely."""
        words = text.split(" ")
        if self.rnd.random() > 0.1 or len(words) == 1:
            return text
        at = self.rnd.randrange(1, len(words))
        return f"{' '.join(words[:at])}{self._comment(0.5)}\n      {' '.join(words[at:])}"

    def _comment(self, probability: float = 0.06) -> str:
        if self.rnd.random() > probability:
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
        """Small integers in guarded memory: one draw from `rnd`, however many there are."""
        flat = np.random.default_rng(self.rnd.getrandbits(32)).integers(-2, 4, tuple(sizes)[::-1])
        return guarded(flat.astype(DTYPES[dtype])).transpose()

    def read_only(self, dtype: str, sizes: tuple[int, ...], known: tuple[bool, ...]) -> View:
        """A parameter that all groups read."""
        shape = [s if k else None for s, k in zip(sizes, known, strict=True)]
        view = View(self.fresh("A"), dtype, sizes, known, packed(shape))
        self.parameters.append(f"{view.name}: {view.type}")
        self.arguments.append(self.array(dtype, sizes))
        return view

    def own(self, dtype: str, sizes: tuple[int, ...], known: tuple[bool, ...]) -> View:
        """Memory that belongs to the group: a slice of a batch, an element of a group, or an allocation."""
        if self.common is not None:
            return self.read_only(dtype, sizes, known)
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
        name, offset = self.fresh("G"), self.rnd.choice([0, 0, 0, 1, 2, -1])
        spelled = offset if offset > 0 and self.rnd.random() < 0.3 else "?"
        type_ = f"group<{view.type}{f', offset: {spelled}' if offset else ''}>"
        self.parameters.append(f"{name}: {type_}")
        arrays = [self.array(dtype, sizes) for _ in range(GROUPS)]
        passed = ArrayGroup([displaced(a, -offset) for a in arrays], offset)
        self.arguments.append(passed if offset else list(arrays))
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
        if self.common is not None:
            return self.common.value
        return ".atomic" if self.rnd.random() < 0.15 else ""

    def index(self, size: int) -> str:
        """An index that is in bounds: a literal, or the remainder of a parameter."""
        if self.rnd.random() < 0.6:
            return str(self.rnd.randrange(size))
        return self.define("index", f"arith.rem {self.parameter('index')}, {size} : index")


def split(dims: Sequence[Dim]) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    return tuple(d[0] for d in dims), tuple(d[1] for d in dims)
