"""Random valid Tile IR kernels with arguments.

Everything is in bounds, ordered by tokens and, unless asked for, free of races; promises (overflow, divisors, ranges of
conversions) are
kept, so that every target must give the interpreter's answer. Results are compared bit by bit, but for what went
through functions or sums of rounded numbers: these carry a bound on the error, and nothing that would magnify it (a
comparison, a conversion to integers) takes them.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import numpy as np

from generators import tile_ir_control as control
from generators import tile_ir_conversions as conversions
from generators import tile_ir_extras as extras
from generators import tile_ir_floats as floats
from generators import tile_ir_integers as integers
from generators import tile_ir_memory as memory
from generators import tile_ir_shapes as shapes
from generators import tile_ir_views as views
from generators.arguments import guarded
from generators.tile_ir_host import report
from generators.tile_ir_races import race
from generators.tile_ir_reductions import reduction
from generators.tile_ir_values import F4, FLOATS, INTEGERS, Argument, Shape, Value, count, has_type
from generators.tile_ir_writer import Output, Writer

__all__ = ["TileKernel", "generate", "module_of"]

_ELEMENTS = ("i1", *INTEGERS, *INTEGERS, *FLOATS, *FLOATS)


@dataclass(frozen=True, slots=True)
class TileKernel:
    """An entry and its globals with the arguments of one launch; `outputs` says what to compare and how.

    `races`: what a launch leaves is anybody's guess.
    """

    name: str
    text: str
    grid: tuple[int, int, int]
    arguments: list[Argument]
    outputs: list[Output]
    races: bool = False

    def copy_arguments(self) -> list[Argument]:
        """Fresh arrays, each in guarded memory of its own."""
        return [guarded(a) if isinstance(a, np.ndarray) else a.copy() for a in self.arguments]


def module_of(kernels: list[TileKernel]) -> str:
    """A module with all of them, of the version that lets regions of reductions do most."""
    head = 'cuda_tile.module @m attributes {tilewright.version = "13.4"} {\n'
    return head + "".join(k.text for k in kernels) + "}\n"


def generate(
    rnd: random.Random, name: str = "k", large: float = 0.1, host: float = 0.0, racing: float = 0.0
) -> TileKernel:
    """A random kernel: a few operations, or in that share of the kernels more of them, and what these need.

    `host` is the share of kernels that print and assert, which not every target can, and `racing` that of those that
    race; what asserts may end before.
    """
    size = 3 if rnd.random() < large else 1
    races = rnd.random() < racing
    reports = rnd.random() < host and not races
    w = Writer(rnd, name, _grid(rnd), _shapes(rnd), _make, reports=reports, races=races)
    if w.blocks > 1:
        _number_of_block(w)
    if races:
        race(w)
    for _ in range(rnd.randint(1, 1 + size // 2)):
        shape, element = rnd.choice(w.shapes), rnd.choice(_ELEMENTS if rnd.random() < 0.9 else conversions.SMALL)
        _load(w, element if has_type(element, shape) else "i8", shape)
    for _ in range(size * rnd.randint(2, 3)):
        _statement(w, 2)
        if w.depth == 1 and w.chance(0.02):
            control.early_return(w)
    _store_results(w, 1 + rnd.randint(0, size))
    if w.chance(0.5):
        w.emit("return")
    head = f"entry @{name}({', '.join(w.parameters)}) {{"
    return TileKernel(name, "\n".join([*w.globals, head, *w.lines, "}"]) + "\n", w.grid, w.arguments, w.outputs, races)


def _grid(rnd: random.Random) -> tuple[int, int, int]:
    if rnd.random() < 0.6:
        return 1, 1, 1
    return rnd.choice([(2, 1, 1), (3, 1, 1), (1, 2, 1), (2, 1, 2)])


def _shapes(rnd: random.Random) -> tuple[Shape, ...]:
    """Those that most values of the kernel have."""
    if rnd.random() < 0.005:
        return ((64, 128), (64,))
    size = 1 << rnd.choice([1, 2, 2, 3, 3, 4, 4, 5, 6])
    rank = rnd.randint(1, 3)
    dims = [1] * rank
    while np.prod(dims) < size:
        dims[rnd.randrange(rank)] *= 2
    found: list[Shape] = [tuple(dims), tuple(dims), ()]
    if rnd.random() < 0.4:
        found.append((size,))
    return tuple(found)


def _number_of_block(w: Writer) -> None:
    """Tile blocks in one row."""
    w.emit("%bx, %by, %bz = get_tile_block_id : tile<i32>")
    w.emit("%gx, %gy, %gz = get_num_tile_blocks : tile<i32>")
    w.emit("%zy = muli %bz, %gy : tile<i32>")
    w.emit("%row = addi %zy, %by : tile<i32>")
    w.emit("%rows = muli %row, %gx : tile<i32>")
    w.emit("%block = addi %rows, %bx : tile<i32>")
    w.pool.append(Value("%block", "i32", (), 0, w.blocks - 1))


def _make(w: Writer, element: str, shape: Shape) -> Value:
    """A value of that type where there is none that fits: converted from another one, or data."""
    if w.chance(0.6):
        found = conversions.conversion(w, element, shape, known=True)
        if found is not None:
            return found
    return _load(w, element, shape)


def _load(w: Writer, element: str, shape: Shape) -> Value:
    if element == F4 and w.chance(0.5):
        return conversions.from_bytes(w, _load(w, "i8", (count(shape) // 2,)), shape)
    if element == F4:
        return views.load(w, element, shape)
    if shape and w.chance(0.4):
        return views.load(w, element, shape)
    return memory.load(w, element, shape)


def _statements(w: Writer, number: int) -> None:
    for _ in range(number):
        _statement(w, 1)


def _statement(w: Writer, _: int) -> None:
    shape, element = w.rnd.choice(w.shapes), w.rnd.choice(_ELEMENTS)
    choice = w.rnd.random()
    if choice < 0.36:
        _operation(w, element, shape)
    elif choice < 0.47:
        wanted = element if w.chance(0.75) else w.rnd.choice(conversions.SMALL)
        conversions.conversion(w, wanted, shape)
    elif choice < 0.62:
        shapes.shape_operation(w)
    elif choice < 0.73:
        reduction(w)
    elif choice < 0.77:
        shapes.product(w)
    elif choice < 0.81:
        memory.atomic(w, shape)
    elif choice < 0.89:
        extras.extra(w)
    elif choice < 0.91:
        updated = shapes.any_value(w, 1)
        if updated is not None:
            views.update(w, updated)
    elif w.reports and choice < 0.95:
        report(w)
    elif w.depth <= 2:
        control.statement(w, _statements)


def _operation(w: Writer, element: str, shape: Shape) -> None:
    if element in FLOATS:
        if w.chance(0.15):
            floats.comparison(w, element, shape)
        else:
            floats.operation(w, element, shape)
    elif w.chance(0.15):
        integers.comparison(w, element, shape)
    else:
        integers.operation(w, element, shape)


def _store_results(w: Writer, most: int) -> None:
    """What nothing else uses, and something in any case."""
    text = "\n".join(w.lines).replace(",", " ").replace("]", " ").replace("[", " ")
    words = text.split()
    unused = [v for v in w.pool if words.count(v.name) == 1 and count(v.shape) <= 1 << 14]
    if not unused:
        unused = w.pool[-1:]
    for value in w.rnd.sample(unused, min(most, len(unused))):
        if value.shape and w.chance(0.4):
            views.store(w, value)
        else:
            memory.store(w, value)
