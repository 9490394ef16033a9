"""Random programs of steps that wait for each other: collectives, regions of work-items and scalars under branches and
loops, on few and small memrefs that share memory as the launch likes.

All is in integers, so that results are exact. Loops have parameters of their own that say how often they run, up to
`TRIPS` times, and branches that say in which iteration which way is taken, so that every path is taken by some launch;
positions are constants. `%A` and `%B` may lie anywhere on each other, hence no instruction has both; `%C` and `%D` lie
apart and say so.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

SIZE: Final = 16
EDGE: Final = 4
"""Memrefs are vectors of 16, and matrices of 4 by 4 over these."""
DEEPEST: Final = 3
TRIPS: Final = 2


@dataclass(frozen=True, slots=True)
class Steps:
    """A kernel `k` of `%A`, `%B`, `%C`, `%D`, numbers below `ways` that say how branches go, then trip counts."""

    text: str
    ways: tuple[int, ...]
    counts: int


@dataclass(slots=True)
class _Writer:
    rnd: random.Random
    items: int
    lines: list[str] = field(default_factory=list[str])
    depth: int = 0
    counter: int = 0
    ways: list[int] = field(default_factory=list[int])
    counts: int = 0
    iteration: str = "%k0"
    iterations: int = 1
    memory: list[str] = field(default_factory=lambda: ["A", "B", "C", "D"])

    def emit(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def define(self, text: str) -> str:
        self.counter += 1
        self.emit(f"%v{self.counter} = {text}")
        return f"%v{self.counter}"

    def place(self) -> str:
        """A constant position."""
        return f"%k{self.rnd.choice([0, 0, 1, 5, 15])}"

    def choose(self, count: int) -> list[str]:
        """Different memrefs, not both those that may lie on each other."""
        while True:
            found = self.rnd.sample(self.memory, count)
            if not {"A", "B"} <= set(found):
                return found

    def matrix(self, name: str) -> str:
        """A memref as a matrix."""
        space = ",local" if name.startswith("t") else ""
        return self.define(f"expand %{name}[0->{EDGE} x {EDGE}] : memref<i32x{EDGE}x{EDGE}{space}>")

    def part(self, name: str) -> str:
        """Four elements of a memref."""
        space = ",local" if name.startswith("t") else ""
        first = self.rnd.choice([0, 2, EDGE, 12])
        return self.define(f"subview %{name}[{first}:{EDGE}] : memref<i32x{EDGE}{space}>")


def _axpby(w: _Writer) -> None:
    a, b = w.choose(2)
    form = w.rnd.choice(["", ".t", "part"])
    beta = w.rnd.choice(["%zero", "%one"])
    if form == "part":
        w.emit(f"axpby %one, {w.part(a)}, {beta}, {w.part(b)}")
    elif form == ".t":
        w.emit(f"axpby.t %one, {w.matrix(a)}, {beta}, {w.matrix(b)}")
    else:
        w.emit(f"axpby{w.rnd.choice(['', '', '.atomic'])} %one, %{a}, {beta}, %{b}")


def _product(w: _Writer) -> None:
    a, b, c = w.choose(3)
    beta = w.rnd.choice(["%zero", "%one"])
    match w.rnd.randrange(4):
        case 0:
            w.emit(f"gemm %one, {w.matrix(a)}, {w.matrix(b)}, {beta}, {w.matrix(c)}")
        case 1:
            w.emit(f"gemv.t %one, {w.matrix(a)}, {w.part(b)}, {beta}, {w.part(c)}")
        case 2:
            w.emit(f"ger %one, {w.part(a)}, {w.part(b)}, {beta}, {w.matrix(c)}")
        case _:
            w.emit(f"hadamard %one, %{a}, %{b}, {beta}, %{c}")


def _reduction(w: _Writer) -> None:
    a, b = w.choose(2)
    beta = w.rnd.choice(["%zero", "%one"])
    if w.rnd.random() < 0.5:
        w.emit(f"sum %one, {w.matrix(a)}, {beta}, {w.part(b)}")
    else:
        w.emit(f"cumsum %one, {w.matrix(a)}, {w.rnd.randrange(2)}, {beta}, {w.matrix(b)}")


def _scalars(w: _Writer) -> None:
    """A load, a store, or an update of one element by the whole work-group."""
    (a,) = w.choose(1)
    match w.rnd.randrange(4):
        case 0:
            value = w.define(f"load %{a}[{w.place()}] : i32")
            (b,) = w.choose(1)
            w.emit(f"store {value}, %{b}[{w.place()}]")
        case 1:
            w.emit(f"store %one, %{a}[{w.place()}]")
        case 2:
            w.define(f"atomic_{w.rnd.choice(['add', 'max'])} %one, %{a}[{w.place()}] : i32")
        case _:
            old = w.define(f"atomic_add %one, %{a}[{w.place()}] : i32")
            (b,) = w.choose(1)
            w.emit(f"store {old}, %{b}[{w.place()}]")


def _foreach(w: _Writer) -> None:
    """Work-items that read what lies at the other end, so that none meets only itself."""
    a, b = w.choose(2)
    w.emit("foreach (%i)=(%k0),(%size) {")
    w.depth += 1
    mirrored = w.define("sub %k15, %i : index")
    value = w.define(f"load %{a}[{mirrored}] : i32")
    if w.rnd.random() < 0.3:
        w.define(f"atomic_add {value}, %{b}[%i] : i32")
    else:
        w.emit(f"store {value}, %{b}[%i]")
    w.depth -= 1
    w.emit("}")


def _parallel(w: _Writer) -> None:
    """Work-items that hand something to each other, with a barrier of their own in between."""
    a, b = w.choose(2)
    barrier = "barrier.global.local" if w.rnd.random() < 0.5 else "barrier.local" if b[0] == "t" else "barrier.global"
    w.emit("parallel {")
    w.depth += 1
    group, lane = w.define("subgroup_linear_id : i32"), w.define("subgroup_local_id : i32")
    first = w.define(f"mul {group}, {w.define('subgroup_size : i32')} : i32")
    at = w.define(f"cast {w.define(f'add {first}, {lane} : i32')} : index")
    value = w.define(f"load %{a}[{at}] : i32")
    w.emit(f"store {value}, %{b}[{at}]")
    w.emit(barrier)
    other = w.define(f"sub %last, {at} : index")
    w.define(f"load %{b}[{other}] : i32")
    w.depth -= 1
    w.emit("}")


def _branch(w: _Writer) -> None:
    """On the bit of a parameter for this iteration, and perhaps on what the memory holds."""
    bit = w.define(f"and {w.define(f'shr %p{len(w.ways)}, {w.iteration} : index')}, %k1 : index")
    condition = w.define(f"equal {bit}, %k1 : bool")
    w.ways.append(1 << w.iterations)
    if w.rnd.random() < 0.3:
        value = w.define(f"load %{w.choose(1)[0]}[{w.place()}] : i32")
        condition = w.define(f"xor {condition}, {w.define(f'less_than {value}, %one : bool')} : bool")
    w.emit(f"if {condition} {{")
    _body(w)
    if w.rnd.random() < 0.5:
        w.emit("} else {")
        _body(w)
    w.emit("}")


def _loop(w: _Writer) -> None:
    end, w.counts = f"%n{w.counts}", w.counts + 1
    before = w.iteration, w.iterations
    w.emit(f"for %i{w.counts} = %k0, {end} {{")
    w.depth += 1
    earlier = w.define(f"mul {w.iteration}, %trips : index")
    w.iteration, w.iterations = w.define(f"add {earlier}, %i{w.counts} : index"), w.iterations * TRIPS
    w.depth -= 1
    _body(w)
    w.iteration, w.iterations = before
    w.emit("}")


def _body(w: _Writer) -> None:
    w.depth += 1
    known = list(w.memory)
    _statements(w, w.rnd.randint(1, 2))
    w.memory = known
    w.depth -= 1


_LEAVES: Final = (_axpby, _axpby, _product, _reduction, _scalars, _scalars, _foreach)


def _statements(w: _Writer, count: int) -> None:
    if w.rnd.random() < 0.3:
        w.counter += 1
        name = f"t{w.counter}"
        w.emit(f"%{name} = alloca : memref<i32x{SIZE},local>")
        w.emit(f"axpby %one, %{w.choose(1)[0]}, %zero, %{name}")
        w.memory.append(name)
    for _ in range(count):
        nested = w.depth < DEEPEST - 1 and len(w.ways) + w.counts < 4 and w.rnd.random() < 0.35
        # Fewer work-items than elements would leave others alone.
        leaves = (*_LEAVES, _parallel) if w.items == SIZE else _LEAVES
        w.rnd.choice((_branch, _loop) if nested else leaves)(w)


def program(lines: Sequence[str], ways: Sequence[int], counts: int, items: int, subgroup: int) -> Steps:
    """A kernel of these lines, which know `%zero`, `%one`, `%size`, `%last` (work-item) and the positions `%k0`, .."""
    vector = f"memref<i32x{SIZE}>"
    parameters = [f"%A: {vector}", f"%B: {vector}"]
    parameters += [f'%{x}: {vector} {{"noalias" = true}}' for x in "CD"]
    parameters += [f"%p{k}: index" for k in range(len(ways))] + [f"%n{k}: index" for k in range(counts)]
    head = f"func @k({', '.join(parameters)}) attributes{{subgroup_size={subgroup},work_group_size=[{items},1]}} {{"
    indices = {"size": SIZE, "trips": TRIPS, "last": items - 1, **{f"k{k}": k for k in (0, 1, 5, SIZE - 1)}}
    constants = ["%zero = constant 0 : i32", "%one = constant 1 : i32"]
    constants += [f"%{name} = constant {value} : index" for name, value in indices.items()]
    return Steps("\n".join([head, *("    " + c for c in constants), *lines, "}"]) + "\n", tuple(ways), counts)


def generate(rnd: random.Random) -> Steps:
    """A random program for a few work-items."""
    items, subgroup = rnd.choice([(2, 1), (4, 1), (4, 2), (SIZE, 4), (SIZE, 8)])
    w = _Writer(rnd, items)
    _statements(w, rnd.randint(2, 4))
    return program(w.lines, w.ways, w.counts, items, subgroup)
