"""Writing a random kernel: values, parameters, memrefs, and how large and how static they are."""

from __future__ import annotations

import random
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from generators.arguments import SMALLER, Argument, Array, Buffer, Dim, padded
from generators.element_types import DTYPES

_NAME = re.compile(r"%\w+")
_INDICES = re.compile(r"\[[^\]]*\]")


def _written(text: str) -> list[str]:
    """The values and memrefs that a line changes, or all of its names."""
    results, equals, _ = text.partition(" = ")
    if " for " in text or text.lstrip().startswith("for "):
        return _NAME.findall(text)
    changed = _NAME.findall(results) if equals else []
    if not equals or "atomic" in text:
        changed += _NAME.findall(_INDICES.sub("", text))[-1:]
    return changed


@dataclass(slots=True)
class Writer:
    """The kernel so far. `dynamic` is the share of extents that types leave to the launch."""

    rnd: random.Random
    dynamic: float
    lines: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Argument] = field(default_factory=list[Argument])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    counter: int = 0
    depth: int = 1
    exact: bool = True
    rounded: set[str] = field(default_factory=set[str])
    heads: list[str] = field(default_factory=list[str])

    def emit(self, text: str) -> None:
        """A line at the present depth."""
        self.lines.append("    " * self.depth + text)
        if not self.rounded.isdisjoint(_NAME.findall(text)):
            self.rounded.update(_written(text))
            if text.lstrip().startswith("yield") and self.heads:
                self.rounded.update(_NAME.findall(self.heads[-1]))

    @contextmanager
    def region(self, head: str, tail: str = "}") -> Generator[None]:
        """Lines between `head {` and `tail`; what is behind a tail with `else` belongs to it too."""
        self.emit(f"{head} {{")
        self.depth += 1
        self.heads.append(head)
        yield
        self.depth -= 1
        self.emit(tail)
        if "else" not in tail:
            self.heads.pop()

    def close(self) -> None:
        """The end of what stands behind a tail with `else`."""
        self.emit("}")
        self.heads.pop()

    def round(self, name: str) -> None:
        """From here on this value, and all that is computed from it, is known up to rounding only.

        Where targets differ by an ulp, a comparison, a cast to fewer digits or the sine of a large number could differ
        by any amount: these take values that are not `rounded`.
        """
        self.rounded.add(name)
        self.exact = False

    def exactly(self, values: Sequence[str]) -> list[str]:
        """Those values that every target must agree on to the last bit."""
        return [v for v in values if v not in self.rounded]

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.rnd.random() < probability

    def fresh(self, stem: str) -> str:
        """A name that nothing has yet."""
        self.counter += 1
        return f"%{stem}{self.counter}"

    def define(self, value: str, stem: str = "v") -> str:
        """A fresh name for the result of an instruction."""
        name = self.fresh(stem)
        self.emit(f"{name} = {value}")
        return name

    def constant(self, dtype: str, value: int) -> str:
        """A constant of any number type or index."""
        spelled = {"f": f"{value}.0", "b": f"{value}.0", "c": f"[{value}.0, 0.0]"}.get(dtype[0], str(value))
        return self.define(f"constant {spelled} : {dtype}", "c")

    def index(self, value: int) -> str:
        """A constant index."""
        return self.constant("index", value)

    def scalar(self, dtype: str) -> str:
        """A scalar operand: a constant or a parameter."""
        value = self.rnd.choice([0, 1, 1, 2, -1])
        if self.depth == 1 and self.chance(0.3):
            name = self.fresh("p")
            self.parameters.append(f"{name}: {dtype}")
            self.arguments.append(DTYPES[dtype].type(value))
            return name
        return self.constant(dtype, value)

    def dim(self, low: int = 1, high: int = 9) -> Dim:
        """A random extent."""
        return Dim(self.rnd.randint(low, high), not self.chance(self.dynamic))

    def size(self, buffer: Buffer, mode: int) -> str:
        """The extent as a value of type index: a constant where it is static."""
        dim = buffer.dims[mode]
        return self.index(dim.size) if dim.static else self.define(f"size {buffer.name}[{mode}] : index", "n")

    def values(self, dtype: str, shape: Sequence[int]) -> Array:
        """Small integers: one draw from `rnd`, however many there are."""
        low = -3 if dtype != "i8" else -2
        flat = np.random.default_rng(self.rnd.getrandbits(32)).integers(low, 4, tuple(shape)[::-1])
        return flat.transpose().astype(DTYPES[dtype], order="F")

    def parameter(self, dtype: str, dims: tuple[Dim, ...], packed: bool = False) -> Buffer:
        """A new memref parameter, perhaps with gaps between columns."""
        name = self.fresh("m")
        shape = [d.size for d in dims]
        array = self.values(dtype, shape)
        text = f"memref<{dtype}" + "".join(f"x{d}" for d in dims)
        if not packed and len(dims) > 1 and self.chance(0.3):
            view = padded(shape, DTYPES[dtype])
            view[...] = array
            array = view
            strides = ["1" if self.chance(0.8) else "?"] + ["?"] * (len(dims) - 1)
            text += ",strided<" + ",".join(strides) + ">"
        self.parameters.append(f"{name}: {text}>")
        self.arguments.append(array)
        buffer = Buffer(name, dtype, dims)
        self.buffers.append(buffer)
        return buffer

    def buffer(self, dtype: str, dims: tuple[Dim, ...], avoid: Sequence[Buffer] = ()) -> Buffer:
        """An existing memref of that type, a new parameter, or a new initialised allocation."""
        fitting = [b for b in self.buffers if (b.dtype, b.dims) == (dtype, dims) and b not in avoid]
        if fitting and self.chance(0.6):
            return self.rnd.choice(fitting)
        if all(d.static for d in dims) and len(dims) <= 2 and self.chance(0.25):
            return self.allocation(dtype, dims)
        return self.parameter(dtype, dims)

    def allocation(self, dtype: str, dims: tuple[Dim, ...]) -> Buffer:
        """Local memory that holds a copy of a new parameter."""
        source = self.parameter(dtype, dims)
        shape = "".join(f"x{d}" for d in dims)
        buffer = Buffer(self.define(f"alloca : memref<{dtype}{shape},local>", "t"), dtype, dims)
        one, zero = self.constant(dtype, 1), self.constant(dtype, 0)
        self.emit(f"axpby {one}, {source.name}, {zero}, {buffer.name}")
        if self.depth == 1:
            self.buffers.append(buffer)
        return buffer

    def operand_type(self, target: str) -> str:
        """A type that may be promoted to `target`."""
        return self.rnd.choice([target, target, *SMALLER.get(target, [])])

    def beta(self, dtype: str, atomic: str) -> str:
        """A factor for the old content; atomic updates only know 0 and 1."""
        return self.constant(dtype, self.rnd.choice([0, 1])) if atomic else self.scalar(dtype)

    def atomic(self) -> str:
        """Sometimes the modifier of atomic updates."""
        return ".atomic" if self.chance(0.1) else ""
