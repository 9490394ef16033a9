"""What the code of a packed product asks of the instructions that multiply.

A register block is `vectors` of one factor times `scalars` of the other, word by word: a word of a vector's lane and a
word of a scalar, which is spread over all lanes, give that lane's share of the sum. A word holds one term of the sum,
or several neighbouring ones (VNNI takes four of i8). Units whose registers are tiles (`amx.py`) take the scalars of
several lines at once.
"""

from __future__ import annotations

from typing import Protocol

from msgspec import Struct

from tilewright.ir.types import F32, I32, ScalarType
from tilewright.targets.cpu.expressions.block_reader import BlockReader
from tilewright.targets.cpu.lowered import Operand


class Factor(Struct, frozen=True):
    """What a factor's elements are in memory; `signed` says how integers are read."""

    element: ScalarType
    signed: bool = True

    def __str__(self) -> str:
        return f"{'' if self.signed else 'unsigned '}{self.element}"


class Packing(Struct, frozen=True):
    """How the elements of a factor lie in a panel.

    They are of type `element`; `group` neighbouring terms of a line make a word, and in each element the bits of
    `flipped` are changed. `signed` says how integers of another type become elements. `words` of a line are neighbours;
    then come those of the next line. Where an element of the factor is the sum of others (`splitting.py`), there are
    several `parts`: the first ones of `together` words of all lines, then the second ones of these, and so on.
    """

    element: ScalarType
    group: int = 1
    flipped: int = 0
    signed: bool = True
    words: int = 1
    parts: int = 1
    together: int = 1

    @property
    def read(self) -> ScalarType:
        """What elements of the factor are converted to before they are packed, or split."""
        return F32 if self.parts > 1 else self.element

    @property
    def word(self) -> ScalarType:
        """What is loaded and stored of a panel."""
        return self.element if self.group == 1 else I32

    @property
    def zero_word(self) -> int:
        """The bits of a word whose elements are zeros."""
        return sum(self.flipped << (8 * self.element.bytes * k) for k in range(self.group))

    def __str__(self) -> str:
        grouped = f"x{self.group}" if self.group > 1 else ""
        flipped = f".flipped{self.flipped}" if self.flipped else ""
        rows = f".rows{self.words}" if self.words > 1 else ""
        parts = f".parts{self.parts}" if self.parts > 1 else ""
        return f"{'' if self.signed else 'u'}{self.element}{grouped}{flipped}{rows}{parts}"


class Unit(Protocol):
    """Instructions that multiply words of two factors and add the products to an accumulator."""

    @property
    def name(self) -> str:
        """The word by which users know it."""
        ...

    @property
    def accumulator(self) -> ScalarType:
        """What accumulators are formed in."""
        ...

    @property
    def vectors(self) -> Packing:
        """The factor whose words fill the lanes of a vector."""
        ...

    @property
    def scalars(self) -> Packing:
        """The other factor."""
        ...


class ProductUnit(Unit, Protocol):
    """A unit whose scalars are spread over all lanes.

    Where words of zero scalars are no zeros (`scalars.flipped`), what vectors give with these is taken off their
    accumulators.
    """

    def multiply(self, ev: BlockReader, vector: Operand, scalar: Operand, total: Operand) -> Operand:
        """`total` and the products of a vector of words with one word in every lane."""
        ...
