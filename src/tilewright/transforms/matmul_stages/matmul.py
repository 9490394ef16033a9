"""The product that the stages transform: which memory its matrices are, and what a stage says about it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field

from tilewright.diagnostics import Location
from tilewright.dialects.builtin import Module
from tilewright.dialects.mlir import affine, func, gpu, scf
from tilewright.dialects.mlir.base import memref_of
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.types import ScalarType, promote
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages.nests import Axis, axes_of, form_of, name_of, variable
from tilewright.transforms.matmul_stages.schedule import Schedule


class NotApplicable(Exception):
    """A stage cannot be applied; the message says where and why, the hint what would be right."""

    def __init__(self, op: Operation, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        self.place: Location = op.location


class Broken(Exception):
    """What should hold behind a stage does not: `what` is the name of the property."""

    def __init__(self, what: str, op: Operation, message: str) -> None:
        super().__init__(f"{what}: {message}")
        self.what = what
        self.place: Location = op.location


Meaning = tuple[object, ...]
"""What is done with an element of C, in a form that is equal where the same is done (`neighbours`)."""


class Matrix(Struct, frozen=True):
    """A matrix in memory; `letters` are the loops (i, j or k) that its dimensions are."""

    memref: Value
    letters: tuple[str, str]

    @property
    def element(self) -> ScalarType:
        """The type of its elements."""
        element = memref_of(self.memref).element
        assert isinstance(element, ScalarType)
        return element

    def of(self, by_letter: Mapping[str, int]) -> tuple[int, int]:
        """What belongs to its dimensions."""
        return by_letter[self.letters[0]], by_letter[self.letters[1]]


class Made(Struct):
    """What the stages have made so far, for those behind them.

    `variables` are those that count i, j, k, within a block ii, jj, kk, within a warp iii, jjj, kkk, and `last` counts
    the step that is computed behind the loop over k; b, or b0, b1, .., count the products of a batch. `before` and
    `behind` are the nests over the elements of C in front of the product and behind it. `rest` are the loops of threads
    over what is no whole tile, and over elements of C. `beside` stands in front
    or behind and is no part of it. `module` is the kernel that stage 17 ends in.

    Where extents are open, `whole` is how many rows, columns and summed elements lie in tiles, if that is no number.
    `cut` are the letters along which there may be more than that. `sums` is the shared buffer that stands for the tile
    of C, and `staged` are the nests (later the loops of threads) that fill it and store it, where rows of C are of open
    length.
    """

    variables: dict[str, Value] = field(default_factory=dict[str, Value])
    before: Sequence[affine.For | affine.Parallel] = ()
    behind: Sequence[affine.For | affine.Parallel] = ()
    rest: list[scf.For] = field(default_factory=list[scf.For])
    beside: frozenset[Operation] = frozenset()
    whole: dict[str, Value] = field(default_factory=dict[str, Value])
    cut: str = ""
    sums: Value | None = None
    staged: Sequence[affine.For | affine.Parallel | scf.For] = ()
    module: Module | None = None


class Matmul(Struct, frozen=True):
    """`c[i, j] += alpha sum over k of a[i, k] b[k, j]` in a function, by whatever dimensions the letters are.

    `sizes` are the extents of i, j and k, values where only a launch knows them. `alpha` is None where products are not
    scaled. `batch` are the extents over which there are such products, the first a value where only a launch knows it;
    each product has a slice of the memory: a, b and c are those. `before` and `behind` say what is done with each
    element of c in front of the product and behind.
    """

    function: func.Func
    a: Matrix
    b: Matrix
    c: Matrix
    sizes: Mapping[str, int | Value]
    schedule: Schedule
    alpha: Value | None = None
    batch: tuple[int | Value, ...] = ()
    before: tuple[Meaning, ...] = ()
    behind: tuple[Meaning, ...] = ()
    made: Made = field(default_factory=Made)

    @property
    def batch_names(self) -> tuple[str, ...]:
        """What the variables are called that count the batch."""
        return ("b",) if len(self.batch) == 1 else tuple(f"b{k}" for k in range(len(self.batch)))

    @property
    def batch_variables(self) -> list[Value]:
        """The variables that count the batch, outermost first."""
        return [self.made.variables[name] for name in self.batch_names]

    @property
    def entries(self) -> tuple[int | Value, int]:
        """How many entries a batch has: a product of two numbers, of which only a launch may know the first."""
        first, *others = self.batch or (1,)
        rest = math.prod(extent for extent in others if isinstance(extent, int))
        return (first * rest, 1) if isinstance(first, int) else (first, rest)

    @property
    def is_open(self) -> bool:
        """Whether only a launch knows some of the extents of the matrices."""
        return any(isinstance(size, Value) for size in self.sizes.values())

    @property
    def lengths(self) -> dict[str, Linear]:
        """How many rows, columns and summed elements, known or not."""
        return {letter: sum_of(size) for letter, size in self.sizes.items()}

    @property
    def whole(self) -> dict[str, Linear]:
        """How many of them lie in whole tiles of a block, known or not; none of any where there is no step along k."""
        found: dict[str, Linear] = {}
        for letter, size in self.sizes.items():
            value = self.made.whole.get(letter)
            if value is None:
                assert isinstance(size, int), "stage 2 computes what a launch knows"
                has_step = letter != "i" or self._has_steps
                found[letter] = Linear((size - size % self.block[letter]) * has_step)
            else:
                found[letter] = sum_of(value)
        return found

    @property
    def _has_steps(self) -> bool:
        size = self.sizes["k"]
        return not isinstance(size, int) or size >= self.block["k"]

    @property
    def extents(self) -> dict[str, int]:
        """How many rows, columns and summed elements, where that is known: checks look at such programs."""
        return {letter: _known(length) for letter, length in self.lengths.items()}

    @property
    def tiled(self) -> dict[str, int]:
        """How many of them lie in whole tiles of a block, where that is known."""
        return {letter: _known(length) for letter, length in self.whole.items()}

    @property
    def has_tiles(self) -> bool:
        """Whether there is a whole tile, where that is known."""
        return all(self.tiled[letter] for letter in "ij")

    @property
    def said(self) -> tuple[str, str, str]:
        """The extents of i, j and k in words."""
        m, n, k = (str(size) if isinstance(size, int) else "?" for size in map(self.sizes.__getitem__, "ijk"))
        return m, n, k

    @property
    def blocks(self) -> tuple[int | None, int | None]:
        """How many blocks are launched along i and j, one at least; None where only a launch knows."""
        m, n = (self.sizes[letter] for letter in "ij")
        return self._blocks_of(m, "i"), self._blocks_of(n, "j")

    def _blocks_of(self, size: int | Value, letter: str) -> int | None:
        return max(size // self.block[letter], 1) if isinstance(size, int) else None

    @property
    def grid(self) -> str:
        """The blocks of a launch, in words: columns, rows, entries of a batch."""
        m, n = ("?" if count is None else str(count) for count in self.blocks)
        entries = self.entries[0] if isinstance(self.entries[0], int) else "?"
        return f"{n} x {m}{f' x {entries}' if self.batch else ''}"

    @property
    def sums(self) -> Value:
        """The memory that products are added to: C, or the buffer that stands for its tile."""
        return self.c.memref if self.made.sums is None else self.made.sums

    @property
    def block(self) -> dict[str, int]:
        """Extents of a block's tile."""
        return dict(zip("ijk", self.schedule.block, strict=True))

    @property
    def loops(self) -> dict[str, affine.For]:
        """The loops over i, j and so on that there are."""
        found: dict[str, affine.For] = {}
        for name, value in self.made.variables.items():
            loop = value.block.parent_op if isinstance(value, BlockArgument) else None
            if isinstance(loop, affine.For) and self.function.is_ancestor_of(loop):
                found[name] = loop
        return found

    def axis(self, name: str, what: str) -> Axis:
        """The variable i, j and so on, whatever counts it. Raises `Broken` if nothing does."""
        value = self.made.variables.get(name)
        home = value.block.parent_op if isinstance(value, BlockArgument) else None
        if home is None or not self.function.is_ancestor_of(home):
            raise Broken(what, self.function, f"nothing counts %{name}")
        return next(axis for axis in axes_of(home) if axis.variable is value)

    def nest(self, what: str) -> Operation:
        """What computes the tiles: loops, or a launch. Raises `Broken` if there is neither."""
        value = self.made.variables["i"]
        launches = (op for op in self.function.walk() if isinstance(op, gpu.Launch))
        launch = next(launches, None)
        return self.axis("i", what).op if isinstance(value, BlockArgument) or launch is None else launch

    def start(self, letter: str) -> Linear:
        """Where the tile of a block begins: at %i, %j or %k."""
        return form_of(self.made.variables[letter])

    def mark(self, name: str, loop: affine.For) -> None:
        """Let a loop be the one over i, j and so on."""
        self.made.variables[name] = variable(loop)

    def loop(self, name: str, what: str) -> affine.For:
        """A loop. Raises `Broken` if there is none of this name."""
        found = self.loops.get(name)
        if found is None:
            raise Broken(what, self.function, f"there is no loop over %{name}")
        return found

    def chain(self, names: Sequence[str], what: str) -> list[affine.For]:
        """Loops of which each is in the one before. Raises `Broken` for others."""
        found = [self.loop(name, what) for name in names]
        for outer, inner in pairwise(found):
            if not outer.is_ancestor_of(inner):
                raise Broken(what, inner, f"the loop over %{name_of(inner)} is not inside of another")
        return found


def common_type(a: ScalarType, b: ScalarType) -> ScalarType:
    """The type of the two factors in which both are exact."""
    found = promote(a, b)
    assert found is not None, "what is multiplied otherwise is no product of matrices here"
    return found


def sum_of(size: int | Value) -> Linear:
    """A number, or a value, as a sum."""
    return Linear(size) if isinstance(size, int) else form_of(size)


def _known(length: Linear) -> int:
    """A number that is known."""
    assert not length.terms, "what only a launch knows is no number"
    return length.constant
