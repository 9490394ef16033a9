"""Writing a random kernel: values, parameters, memrefs, and how large and how static they are."""

from __future__ import annotations

import math
import random
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from generators.arguments import SMALLER, Argument, Array, Buffer, Dim, Grid, displaced, members, place
from generators.element_types import DTYPES
from generators.values import Data, values
from tilewright.runtime.groups import ArrayGroup

_EXTREMUM = re.compile(r"(\b|_)(max|min)\b")
"""Of two zeros of both signs, either may be the larger one."""
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


@dataclass(frozen=True, slots=True)
class Layout:
    """A memref in memory: its extents, elements between its columns, and whether types spell the strides.

    The first element lies at a multiple of `alignment` elements, and of no larger power of two.
    """

    dims: tuple[Dim, ...]
    gaps: tuple[int, ...]
    known: bool
    alignment: int

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents."""
        return tuple(d.size for d in self.dims)

    @property
    def strides(self) -> tuple[int, ...]:
        """In elements."""
        found, reach = list[int](), 1
        for size, gap in zip(self.shape, self.gaps, strict=True):
            found.append(reach + gap)
            reach = (reach + gap) * size
        return tuple(found)

    def type(self, dtype: str) -> str:
        """The memref type."""
        strides = ""
        if not self.known:
            strides = (
                ",strided<" + ",".join(["1" if self.strides[0] == 1 else "?", *["?"] * (len(self.dims) - 1)]) + ">"
            )
        return f"memref<{dtype}{''.join(f'x{d}' for d in self.dims)}{strides}>"

    def attributes(self, w: Writer, dtype: str) -> str:
        """What is promised of the launch, some of all that is true."""
        found: list[str] = []
        if w.chance(0.2):
            found.append(f"alignment={self.alignment * DTYPES[dtype].itemsize}")
        for name, numbers in (("shape_gcd", self.shape), ("stride_gcd", self.strides)):
            if numbers and w.chance(0.1):
                kept = numbers[: w.rnd.randint(1, len(numbers))]
                found.append(f"{name}=[{', '.join(str(w.rnd.choice(_divisors(n))) for n in kept)}]")
        if w.chance(0.1):
            found.append('"noalias"=true')
        return " {" + ", ".join(found) + "}" if found else ""


def _divisors(number: int) -> list[int]:
    return [d for d in range(1, number + 1) if number % d == 0] or [1]


@dataclass(frozen=True, slots=True)
class Team:
    """Work-items of a work-group: whole subgroups in a row, and rows of them."""

    subgroup: int = 16
    across: int = 2
    rows: int = 2

    @property
    def items(self) -> int:
        """All of them."""
        return self.subgroup * self.across * self.rows

    @property
    def attributes(self) -> str:
        """What the kernel says of them."""
        return (
            f"attributes{{subgroup_size={self.subgroup},work_group_size=[{self.subgroup * self.across},{self.rows}]}} "
        )


@dataclass(slots=True)
class Writer:
    """The kernel so far. `dynamic` is the share of extents that types leave to the launch.

    Each work-group of the grid has memory of its own: elements of groups, or parts of arrays with a mode more, which
    `prologue` takes.
    """

    rnd: random.Random
    dynamic: float
    data: Data = Data.SMALL
    team: Team = Team()
    grid: Grid = (1, 1, 1)
    lines: list[str] = field(default_factory=list[str])
    prologue: list[str] = field(default_factory=list[str])
    parameters: list[str] = field(default_factory=list[str])
    arguments: list[Argument] = field(default_factory=list[Argument])
    buffers: list[Buffer] = field(default_factory=list[Buffer])
    counter: int = 0
    depth: int = 1
    exact: bool = True
    signs: bool = True
    races: bool = False
    asks_for_team: bool = False
    group_number: str = ""
    rounded: set[str] = field(default_factory=set[str])
    heads: list[str] = field(default_factory=list[str])

    def emit(self, text: str) -> None:
        """A line at the present depth."""
        self.lines.append("    " * self.depth + text)
        self.signs &= not _EXTREMUM.search(text)
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

    def sums(self) -> None:
        """From here on the sign of a zero may depend on where a sum starts, at 0 or at its first term.

        A product of complex numbers is one: that by 1 may be left out.
        """
        self.signs = False

    def exactly(self, values: Sequence[str]) -> list[str]:
        """Those values that every target must agree on to the last bit."""
        return [v for v in values if v not in self.rounded]

    def chance(self, probability: float) -> bool:
        """True with that probability."""
        return self.rnd.random() < probability

    def text(self, attributes: str) -> str:
        """The kernel."""
        head = f"func @k({', '.join(self.parameters)}) {attributes}{{"
        return "\n".join([head, *("    " + line for line in self.prologue), *self.lines, "}"]) + "\n"

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
        """A scalar operand: a constant or a parameter. A factor of 0 adds a zero or nothing."""
        value = self.rnd.choice([0, 1, 1, 2, -1])
        self.signs &= value != 0
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

    def parameter(self, dtype: str, dims: tuple[Dim, ...], packed: bool = False) -> Buffer:
        """A new memref parameter, perhaps with gaps between columns, or one of each work-group."""
        name = self.fresh("m")
        apart = self.grid != (1, 1, 1)
        if apart and (packed or not dims) and self.chance(0.5):
            self._part_of_array(name, dtype, dims)
        elif apart or self.chance(0.05):
            self._element_of_group(name, dtype, dims, packed)
        else:
            layout = self._layout(dims, packed)
            self.parameters.append(f"{name}: {layout.type(dtype)}{layout.attributes(self, dtype)}")
            self.arguments.append(self._array(dtype, layout))
        buffer = Buffer(name, dtype, dims)
        self.buffers.append(buffer)
        return buffer

    def null(self, buffer: Buffer) -> None:
        """Launch the kernel with no memory for a parameter that was just made, or with none for some work-groups."""
        argument = self.arguments[-1]
        if isinstance(argument, list):
            self.arguments[-1] = [None if self.chance(0.5) else a for a in argument]
        elif isinstance(argument, ArrayGroup):
            arrays = [None if self.chance(0.5) else a for a in members(argument)]
            self.arguments[-1] = ArrayGroup(arrays, argument.offset)
        elif self.parameters[-1].startswith(f"{buffer.name}:"):
            self.arguments[-1] = None

    def _layout(self, dims: tuple[Dim, ...], packed: bool) -> Layout:
        gaps = (0,) * len(dims)
        known = True
        if not packed and dims and self.chance(0.3):
            first = 1 if self.chance(0.8) else self.rnd.randint(2, 3)
            gaps, known = (first - 1, *(self.rnd.randint(0, 3) for _ in dims[1:])), False
        return Layout(dims, gaps, known, self.rnd.choice((1, 1, 1, 2, 4, 8)))

    def _array(self, dtype: str, layout: Layout) -> Array:
        drawn = values(self.rnd, self.data, dtype, layout.shape)
        return place(drawn, layout.strides, layout.alignment * drawn.dtype.itemsize)

    def _number(self) -> str:
        """The number of the work-group in the launch."""
        if not self.group_number:
            self.prologue += [f"%group_{d} = group_id.{d} : index" for d in "xyz"]
            self.prologue += [f"%groups_{d} = num_groups.{d} : index" for d in "xy"]
            self.prologue += [
                "%group_deep = mul %groups_y, %group_z : index",
                "%group_row = add %group_deep, %group_y : index",
                "%group_across = mul %groups_x, %group_row : index",
                "%group = add %group_across, %group_x : index",
            ]
            self.group_number = "%group"
        return self.group_number

    def _element_of_group(self, name: str, dtype: str, dims: tuple[Dim, ...], packed: bool) -> None:
        """Arrays that lie anywhere, with the same extents and, where only the launch knows them, other strides."""
        layout, count = self._layout(dims, packed), math.prod(self.grid)
        group, number = self.fresh("g"), self._number()
        size, attributes = str(count) if self.chance(0.3) else "?", layout.attributes(self, dtype)
        # An offset would break a promised alignment.
        offset = self.rnd.choice([-2, 1, 2, 3]) if "alignment" not in attributes and self.chance(0.3) else 0
        spelled = f", offset: {offset if offset > 0 and self.chance(0.4) else '?'}" if offset else ""
        self.parameters.append(f"{group}: group<{layout.type(dtype)}x{size}{spelled}>{attributes}")
        layouts = [layout] * count
        if not layout.known and "stride_gcd" not in attributes:
            layouts = [
                replace(layout, gaps=(layout.gaps[0], *(self.rnd.randint(0, 3) for _ in dims[1:]))) for _ in layouts
            ]
        arrays = [self._array(dtype, each) for each in layouts]
        passed = ArrayGroup([displaced(a, -offset) for a in arrays], offset)
        self.arguments.append(passed if offset else list(arrays))
        self.prologue.append(f"{name} = load {group}[{number}] : {layout.type(dtype)}")

    def _part_of_array(self, name: str, dtype: str, dims: tuple[Dim, ...]) -> None:
        """A part of an array that has a mode more, for the number of the work-group."""
        whole, number = self.fresh("w"), self._number()
        layout = Layout((*dims, Dim(math.prod(self.grid), self.chance(0.3))), (0,) * (len(dims) + 1), True, 1)
        self.parameters.append(f"{whole}: {layout.type(dtype)}")
        self.arguments.append(self._array(dtype, layout))
        ranges: list[str] = []
        for mode, dim in enumerate(dims):
            if not dim.static:
                self.prologue.append(f"{name}n{mode} = size {whole}[{mode}] : index")
            ranges.append(f"0:{dim.size}" if dim.static else f"0:{name}n{mode}")
        part = Layout(dims, (0,) * len(dims), True, 1)
        self.prologue.append(f"{name} = subview {whole}[{','.join([*ranges, number])}] : {part.type(dtype)}")

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
        self.signs &= dtype[0] != "c"
        source = self.parameter(dtype, dims)
        shape = "".join(f"x{d}" for d in dims)
        buffer = Buffer(self.define(f"alloca : memref<{dtype}{shape},local>", "t"), dtype, dims)
        one, zero = self.constant(dtype, 1), self.constant(dtype, 0)
        self.emit(f"axpby {one}, {source.name}, {zero}, {buffer.name}")
        if self.depth == 1:
            self.buffers.append(buffer)
        return buffer

    def kinds(self, dtype: str) -> list[str]:
        """Which reductions have one result in any order."""
        return ["add"] * self.data.summable + ["max", "min"] * (dtype[0] != "c")

    def operand_type(self, target: str) -> str:
        """A type that may be promoted to `target`."""
        return self.rnd.choice([target, target, *SMALLER.get(target, [])])

    def beta(self, dtype: str, atomic: str) -> str:
        """A factor for the old content; atomic updates only know 0 and 1."""
        return self.constant(dtype, self.rnd.choice([0, 1])) if atomic else self.scalar(dtype)

    def atomic(self) -> str:
        """Sometimes the modifier of atomic updates."""
        return ".atomic" if self.chance(0.1) else ""
