"""The product that the stages transform: which memory its matrices are, and what a stage says about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from tilewright.diagnostics import Location
from tilewright.dialects.mlir import affine, func
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.types import ScalarType
from tilewright.transforms.matmul_stages.nests import loops_in
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


class Matmul(Struct, frozen=True):
    """`c[i, j] += sum over k of a[i, k] b[k, j]` in a function, by whatever dimensions the letters are."""

    function: func.Func
    a: Matrix
    b: Matrix
    c: Matrix
    schedule: Schedule

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
        """The loops of the function by name."""
        return loops_in(self.function)

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
                raise Broken(
                    what, inner, f"the loop over %{inner.body.entry.arguments[0].name} is not inside of another"
                )
        return found
