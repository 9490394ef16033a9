"""Random kernels of the tensor language that often access what is out of bounds, with arguments and a grid.

Every kind of access, through chains of views, under loops and conditions, with indices, offsets and sizes that are off
now and then. Factors are never 0, so that every operand is accessed.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from generators.arguments import Argument, Array, Dim, copied, place
from generators.writer import Layout, Writer

SUBGROUP = 16


@dataclass(frozen=True, slots=True)
class Faulty:
    """A kernel `k`, its arguments in order, and the work-groups to launch."""

    text: str
    arguments: list[Argument]
    grid: int

    def copy_arguments(self) -> list[Argument]:
        """Arguments of which nobody keeps what a kernel writes; strides and places in cache lines kept."""
        return [copied(argument) for argument in self.arguments]


@dataclass(frozen=True, slots=True)
class View:
    """A memref: its extents at run time, and what its type says of extents and strides."""

    name: str
    sizes: tuple[int, ...]
    shape: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    local: bool = False

    @property
    def type(self) -> str:
        """The type as the language writes it."""
        shape = "".join(f"x{_spelled(extent)}" for extent in self.shape)
        strides = f",strided<{','.join(map(_spelled, self.strides))}>" if self.shape else ""
        return f"memref<f32{shape}{strides}{',local' if self.local else ''}>"


def _spelled(number: int | None) -> str:
    return "?" if number is None else str(number)


class FaultWriter(Writer):
    """Writes views and indices that are mostly right."""

    def near(self, value: int) -> int:
        """Mostly the number itself."""
        return value if self.chance(0.85) else max(0, value + self.rnd.choice([-2, -1, 1, 1, 2, 5]))

    def number(self, value: int) -> str:
        """An index: a constant, or known to the launch only."""
        if self.chance(0.5):
            return self.index(value)
        name = self.fresh("p")
        self.parameters.append(f"{name}: index")
        self.arguments.append(np.int64(value))
        return name

    def memref(self, order: int, high: int = 7) -> View:
        """A parameter, an element of a group, or local memory that holds something."""
        sizes = tuple(self.rnd.randint(1, high) for _ in range(order))
        kind = self.rnd.choice(["parameter", "parameter", "group", "local"])
        if kind == "local" and order:
            return self._local(sizes)
        shape = tuple(size if self.chance(0.5) else None for size in sizes)
        packed = self.chance(0.7) or order < 2
        strides = _packed(shape) if packed else (1, *(None,) * (order - 1))
        name = self.fresh("m")
        gaps = (0, *(0 if packed else 3 for _ in sizes[1:]))[:order]
        array = place(
            np.zeros(sizes, np.float32), Layout(tuple(Dim(s, True) for s in sizes), gaps, packed, 1).strides, 4
        )
        view = View(name, sizes, shape, strides)
        if kind == "parameter":
            self.parameters.append(f"{name}: {view.type}")
            self.arguments.append(array)
            return view
        return self._of_group(view, array)

    def _of_group(self, view: View, array: Array) -> View:
        count = self.rnd.randint(1, 3)
        group = self.fresh("g")
        size = str(count) if self.chance(0.3) else "?"
        self.parameters.append(f"{group}: group<{view.type}x{size}>")
        self.arguments.append([array.copy(order="K") for _ in range(count)])  # type: ignore[arg-type]
        at = self.number(self.near(self.rnd.randrange(count)))
        return View(self.define(f"load {group}[{at}] : {view.type}", "m"), view.sizes, view.shape, view.strides)

    def _local(self, sizes: tuple[int, ...]) -> View:
        view = View("", sizes, sizes, _packed(sizes), True)
        name = self.define(f"alloca : {view.type}", "t")
        zero = self.index(0)
        value = self.constant("f32", 1)
        names = [self.fresh("i") for _ in sizes]
        ends = ",".join([self.index(size) for size in sizes])
        with self.region(f"foreach ({','.join(names)})=({','.join([zero] * len(sizes))}),({ends})"):
            self.emit(f"store {value}, {name}[{','.join(names)}]")
        return View(name, sizes, sizes, view.strides, True)

    def view(self, order: int) -> View:
        """A memref of an order, perhaps by way of other views."""
        form = self.rnd.choice(["", "", "", "subview", "subview", "dropped", "expand", "fuse"])
        if form == "subview":
            return self._subview(self.view(order) if self.chance(0.3) else self.memref(order), 0)
        if form == "dropped" and order < 3:
            return self._subview(self.memref(order + 1), 1)
        if form == "expand" and order >= 2:
            return self._expanded(self.memref(order - 1))
        if form == "fuse" and 0 < order < 3:
            return self._fused(order)
        return self.memref(order)

    def _subview(self, source: View, dropped: int) -> View:
        order = len(source.sizes)
        away = set(self.rnd.sample(range(order), dropped))
        parts, sizes, shape, strides = list[str](), list[int](), list[int | None](), list[int | None]()
        for mode, (extent, known) in enumerate(zip(source.sizes, source.shape, strict=True)):
            offset = self.rnd.randrange(max(1, extent))
            size = self.rnd.randint(1, max(1, extent - offset))
            dynamic = known is None or self.chance(0.6)
            if dynamic:
                offset, size = self.near(offset), self.near(size)
            at = self.number(offset) if dynamic else str(offset)
            if mode in away:
                parts.append(at)
                continue
            literal = self.chance(0.5)
            parts.append(f"{at}:{size if literal and size else self.number(size)}")
            sizes.append(size)
            shape.append(size if literal and size else None)
            strides.append(source.strides[mode])
        view = View("", tuple(sizes), tuple(shape), tuple(strides), source.local)
        name = self.define(f"subview {source.name}[{','.join(parts)}] : {view.type}", "w")
        return View(name, view.sizes, view.shape, view.strides, view.local)

    def _expanded(self, source: View) -> View:
        mode = self.rnd.randrange(len(source.sizes))
        extent, known = source.sizes[mode], source.shape[mode]
        first = self.rnd.choice([n for n in range(1, extent + 1) if extent % n == 0] or [1])
        second = extent // first
        stride = source.strides[mode]
        if known is None:
            second = self.near(second)
            literal = second > 0 and self.chance(0.5)
            texts = (str(first), str(second) if literal else self.number(second))
            shape = (first, second if literal else None)
        else:
            texts, shape = (str(first), str(second)), (first, second)
        behind = None if stride is None else stride * first
        view = View(
            "",
            (*source.sizes[:mode], first, second, *source.sizes[mode + 1 :]),
            (*source.shape[:mode], *shape, *source.shape[mode + 1 :]),
            (*source.strides[:mode], stride, behind, *source.strides[mode + 1 :]),
            source.local,
        )
        name = self.define(f"expand {source.name}[{mode}->{texts[0]} x {texts[1]}] : {view.type}", "w")
        return View(name, view.sizes, view.shape, view.strides, view.local)

    def _fused(self, order: int) -> View:
        sizes = tuple(self.rnd.randint(1, 5) for _ in range(order + 1))
        source = View(self.fresh("m"), sizes, sizes, _packed(sizes))
        self.parameters.append(f"{source.name}: {source.type}")
        self.arguments.append(np.zeros(sizes, np.float32, order="F"))
        shape = (sizes[0] * sizes[1], *sizes[2:])
        view = View("", shape, shape, (1, *source.strides[2:]))
        return View(self.define(f"fuse {source.name}[0,1] : {view.type}", "w"), shape, shape, view.strides)


def _packed(shape: tuple[int | None, ...]) -> tuple[int | None, ...]:
    found: list[int | None] = []
    stride: int | None = 1
    for extent in shape:
        found.append(stride)
        stride = None if stride is None or extent is None else stride * extent
    return tuple(found)


# Statements


def elements(w: FaultWriter) -> None:
    """One access to an element, in a nest of loops around it."""
    view = w.view(w.rnd.randint(1, 3))
    variables: list[tuple[str, int, int]] = []
    _nest(w, view, variables, list(view.sizes))


def _nest(w: FaultWriter, view: View, variables: list[tuple[str, int, int]], left: list[int]) -> None:
    """A loop over each mode of the view, then the access."""
    if not left:
        _access(w, view, variables)
        return
    extent, low = left.pop(), w.rnd.choice([0, 0, 0, 1])
    high = max(low, w.near(extent))
    name, step = w.fresh("i"), w.rnd.choice([1, 1, 1, 2, 3])
    bounds = f"{w.number(low)},{w.number(high)}"
    if step > 1:
        bounds += f",{w.index(step)}"
    head = f"for {name}={bounds}"
    variables.append((name, low, high))
    if w.chance(0.2):
        limit, i = w.number(w.near(extent)), name
        with w.region(head):
            below = w.define(f"less_than {i}, {limit} : bool", "b")
            with w.region(f"if {below}"):
                _nest(w, view, variables, left)
        return
    with w.region(head):
        _nest(w, view, variables, left)


def _access(w: FaultWriter, view: View, variables: list[tuple[str, int, int]]) -> None:
    indices: list[str] = []
    for name, _, _ in reversed(variables):
        index = name
        if w.chance(0.15):
            index = w.define(f"add {index}, {w.index(w.rnd.randint(0, 2))} : index")
        if w.chance(0.1):
            index = w.define(f"sub {w.number(w.rnd.randint(3, 8))}, {index} : index")
        if w.chance(0.1):
            index = w.define(f"mul {index}, {w.number(w.rnd.randint(0, 2))} : index")
        indices.append(index)
    if w.chance(0.1):
        indices = [w.rnd.choice(indices) for _ in indices]
    at = ",".join(indices)
    match w.rnd.choice(["load", "store", "both", "atomic"]):
        case "load":
            w.define(f"load {view.name}[{at}] : f32")
        case "store":
            w.emit(f"store {w.constant('f32', 2)}, {view.name}[{at}]")
        case "both":
            x = w.define(f"load {view.name}[{at}] : f32")
            w.emit(f"store {x}, {view.name}[{at}]")
        case _:
            w.define(f"atomic_add.device {w.constant('f32', 2)}, {view.name}[{at}] : f32")


def items(w: FaultWriter) -> None:
    """Work-items that access an element each, some of them under a condition, one in every work-group or all."""
    view = w.view(w.rnd.randint(1, 2))
    if w.chance(0.5):
        names = [w.fresh("i") for _ in view.sizes]
        lows = ",".join(w.number(0) for _ in names)
        highs = ",".join(w.number(w.near(size)) for size in view.sizes)
        with w.region(f"foreach ({','.join(names)})=({lows}),({highs})"):
            _guarded(w, view, names)
        return
    with w.region("parallel"):
        lane = w.define("subgroup_local_id : i32", "l")
        index = w.define(f"cast {lane} : index", "i")
        count = w.number(max(1, w.near(view.sizes[0])))
        inside = w.define(f"rem {index}, {count} : index") if w.chance(0.5) else index
        others = [w.number(w.near(w.rnd.randrange(max(1, size)))) for size in view.sizes[1:]]
        _guarded(w, view, [inside, *others], most=view.sizes[0])


def _guarded(w: FaultWriter, view: View, indices: list[str], most: int = 0) -> None:
    if w.chance(0.4) or most:
        limit = w.number(w.near(most or view.sizes[0]))
        below = w.define(f"less_than {indices[0]}, {limit} : bool", "b")
        with w.region(f"if {below}"):
            w.emit(f"store {w.constant('f32', 3)}, {view.name}[{','.join(indices)}]")
    else:
        w.define(f"atomic_add.device {w.constant('f32', 3)}, {view.name}[{','.join(indices)}] : f32")


def collective(w: FaultWriter) -> None:
    """A collective on views whose extents mostly agree."""
    order = w.rnd.randint(0, 2)
    target = w.view(order)
    one = w.constant("f32", 1)
    source = _like(w, target)
    line = f"axpby {one}, {source}, {one}, {target.name}"
    if w.chance(0.3):
        name = w.fresh("i")
        with w.region(f"for {name}={w.number(0)},{w.number(w.rnd.randint(0, 2))}"):
            w.emit(line)
    else:
        w.emit(line)


def _like(w: FaultWriter, target: View) -> str:
    sizes = tuple(
        w.near(size) if known is None else size for size, known in zip(target.sizes, target.shape, strict=True)
    )
    name = w.fresh("m")
    shape = "".join("x?" if known is None else f"x{known}" for known in target.shape)
    w.parameters.append(f"{name}: memref<f32{shape}>")
    w.arguments.append(np.zeros(sizes, np.float32, order="F"))
    return name


def product(w: FaultWriter) -> None:
    """A product whose inner extents mostly agree."""
    m, n, k = (w.rnd.randint(1, 9) for _ in range(3))
    names = [w.fresh("m") for _ in range(3)]
    for name, sizes in zip(names, ((m, k), (w.near(k), n), (m, w.near(n))), strict=True):
        w.parameters.append(f"{name}: memref<f32x?x?>")
        w.arguments.append(np.zeros(tuple(max(1, s) for s in sizes), np.float32, order="F"))
    one = w.constant("f32", 1)
    w.emit(f"gemm {one}, {names[0]}, {names[1]}, {one}, {names[2]}")


def matrices(w: FaultWriter) -> None:
    """Cooperative matrices at places that are mostly inside, with and without checks."""
    rows, columns = w.rnd.randint(14, 20), w.rnd.randint(2, 6)
    whole = w.parameter("f32", (Dim(rows, w.chance(0.5)), Dim(columns, w.chance(0.5))))
    check = w.rnd.choice(["", "", ".rows_checked", ".cols_checked", ".both_checked"])
    transpose = w.rnd.choice(["", "", ".t"])
    matrix = "coopmatrix<f32x16x2,matrix_acc>"
    if w.chance(0.5):
        names = [w.fresh("i") for _ in range(4)]
        bounds = f"({w.number(0)},{w.number(0)}),({w.number(w.near(rows))},{w.number(w.near(columns))})"
        at = f"{names[0]},{names[1]}"
        head = f"foreach_tile ({at})={bounds} as ({names[2]},{names[3]})<=(16,2)"
    else:
        at = f"{w.number(w.rnd.randint(0, 5))},{w.number(w.rnd.randint(0, columns))}"
        head = "parallel"
    with w.region(head):
        x = w.define(f"cooperative_matrix_load{transpose}{check} {whole.name}[{at}] : {matrix}", "x")
        if w.chance(0.5):
            w.emit(f"cooperative_matrix_store{transpose}{check} {x}, {whole.name}[{at}]")


STATEMENTS = [elements, elements, elements, items, items, collective, collective, product, matrices]


def faulty(rnd: random.Random) -> Faulty:
    """A random kernel of one or two statements."""
    w = FaultWriter(rnd, 0.5)
    for _ in range(rnd.randint(1, 2)):
        rnd.choice(STATEMENTS)(w)
    attributes = f"attributes{{subgroup_size={SUBGROUP},work_group_size=[{rnd.choice([16, 32])},1]}} "
    return Faulty(w.text(attributes), w.arguments, rnd.randint(1, 2))  # type: ignore[arg-type]
