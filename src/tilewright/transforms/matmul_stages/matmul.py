"""The product that the stages transform: which memory its matrices are, and what a stage says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct, field

from tilewright.diagnostics import Location
from tilewright.dialects.builtin import Module
from tilewright.dialects.mlir import affine, func, gpu, scf
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.types import ScalarType
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

    @property
    def extents(self) -> tuple[int, int]:
        """Its extents, which are known."""
        rows, columns = shape_of(self.memref)
        assert rows is not None
        assert columns is not None
        return rows, columns

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
    """

    variables: dict[str, Value] = field(default_factory=dict[str, Value])
    before: Sequence[affine.For | affine.Parallel] = ()
    behind: Sequence[affine.For | affine.Parallel] = ()
    rest: list[scf.For] = field(default_factory=list[scf.For])
    beside: frozenset[Operation] = frozenset()
    module: Module | None = None


class Matmul(Struct, frozen=True):
    """`c[i, j] += alpha sum over k of a[i, k] b[k, j]` in a function, by whatever dimensions the letters are.

    `alpha` is None where products are not scaled. `batch` are the extents over which there are such products, of which
    each has a slice of the memory: a, b and c are those. `before` and `behind` say what is done with each element of c
    in front of the product and behind it.
    """

    function: func.Func
    a: Matrix
    b: Matrix
    c: Matrix
    schedule: Schedule
    alpha: Value | None = None
    batch: tuple[int, ...] = ()
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
    def extents(self) -> dict[str, int]:
        """How many rows, columns and summed elements."""
        return dict(zip((*self.a.letters, *self.b.letters), (*self.a.extents, *self.b.extents), strict=True))

    @property
    def extents_in_order(self) -> tuple[int, int, int]:
        """Those of i, j and k."""
        found = self.extents
        return found["i"], found["j"], found["k"]

    @property
    def tiled(self) -> dict[str, int]:
        """How many of them lie in whole tiles of a block."""
        return {letter: extent - extent % self.block[letter] for letter, extent in self.extents.items()}

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
