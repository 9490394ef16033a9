"""Checked mode: accesses that no token path orders, and races between tile blocks.

Each access of a tile block has a number; a token is the set of those before it, as bits of an integer. Every byte
remembers the set of its readers and that of its writers, as the number of a set.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.diagnostics import Diagnostic, Location, Severity
from tilewright.diagnostics.kernel_error import KernelError, fail
from tilewright.interpreter.tile_ir.memory import Buffer, Place
from tilewright.interpreter.tile_ir.values import Token

Array = NDArray[Any]

_SEVERAL: Final = -1


def _distinct(values: Array) -> Array:
    """The different ones; mostly there is one."""
    return values[:1] if values.size and (values == values[0]).all() else np.unique(values)


class _Sets:
    """Numbered sets of accesses, with an entry for each byte of each buffer."""

    def __init__(self) -> None:
        self.members: list[int] = [0]
        self.numbers: dict[int, int] = {0: 0}
        self.tables: dict[int, Array] = {}

    def table(self, buffer: Buffer) -> Array:
        found = self.tables.get(id(buffer))
        if found is None:
            found = self.tables[id(buffer)] = np.zeros(len(buffer.data), np.int32)
        return found

    def union(self, buffer: Buffer, at: Array) -> int:
        numbers: list[int] = _distinct(self.table(buffer)[at]).tolist()
        found = 0
        for number in numbers:
            found |= self.members[number]
        return found

    def number(self, members: int) -> int:
        found = self.numbers.get(members)
        if found is None:
            found = self.numbers[members] = len(self.members)
            self.members.append(members)
        return found

    def put(self, buffer: Buffer, at: Array, access: int) -> None:
        """Add an access to the sets of bytes."""
        table = self.table(buffer)
        values = table[at]
        if values.size and (values == values[0]).all():
            table[at] = self.number(self.members[int(values[0])] | 1 << access)
            return
        present, inverse = np.unique(values, return_inverse=True)
        numbers: list[int] = present.tolist()
        grown = [self.number(self.members[n] | 1 << access) for n in numbers]
        table[at] = np.array(grown, np.int32)[inverse]


class BlockOrder(Struct):
    """Accesses of one tile block."""

    readers: _Sets = field(default_factory=_Sets)
    writers: _Sets = field(default_factory=_Sets)
    places: list[Location] = field(default_factory=list[Location])
    weak: int = 0

    def enter(self, token: Token | None, where: Location, weak: bool) -> Access:
        """Number an access."""
        number = len(self.places)
        self.places.append(where)
        if weak:
            self.weak |= 1 << number
        return Access(self, number, 0 if token is None else token.before, weak)


class Access(Struct, frozen=True):
    """One memory operation of a tile block and what comes before it."""

    order: BlockOrder
    number: int
    before: int
    weak: bool

    @property
    def token(self) -> Token:
        """What comes before those that wait for this access."""
        return Token(self.before | 1 << self.number)

    def note(self, buffer: Buffer, at: Array, reads: bool, writes: bool) -> None:
        """Record bytes; another access to them, one of the two writing, must be ordered (or both not weak)."""
        order = self.order
        others = order.writers.union(buffer, at)
        if writes:
            others |= order.readers.union(buffer, at)
        others &= ~(self.before | 1 << self.number)
        if not self.weak:
            others &= order.weak
        if others:
            self._unordered(buffer, (others & -others).bit_length() - 1)
        if reads:
            order.readers.put(buffer, at, self.number)
        if writes:
            order.writers.put(buffer, at, self.number)

    def _unordered(self, buffer: Buffer, other: int) -> None:
        where = self.order.places[self.number]
        message = f"this access and another one touch the same memory of {buffer.name}, and no token path orders them"
        found = Diagnostic(Severity.ERROR, "R031", message, where)
        raise KernelError([found.label(self.order.places[other], "the other access")])


class GridOrder(Struct):
    """Which tile block read and wrote each byte: 0 nobody, n + 1 block n, -1 several."""

    readers: dict[int, Array] = field(default_factory=dict[int, Array])
    writers: dict[int, Array] = field(default_factory=dict[int, Array])
    enabled: bool = True

    def note(self, buffer: Buffer, at: Array, block: int, writes: bool, where: Location) -> None:
        """Record the weak access of a tile block; a weak write by another one is a race."""
        if not self.enabled:
            return
        size = len(buffer.data)
        readers = self.readers.setdefault(id(buffer), np.zeros(size, np.int32))
        writers = self.writers.setdefault(id(buffer), np.zeros(size, np.int32))
        own = block + 1
        clash = (writers[at] != 0) & (writers[at] != own)
        if writes:
            clash |= (readers[at] != 0) & (readers[at] != own)
        if clash.any():
            byte = int(at[clash][0])
            does = "writes" if writes else "reads"
            fail("R020", where, f"race: {does} byte {byte} of {buffer.name}, which another tile block uses as well")
        if writes:
            writers[at] = own
        else:
            readers[at] = np.where((readers[at] == 0) | (readers[at] == own), own, _SEVERAL)


def bytes_of(place: Place, size: int) -> Array:
    """Positions of all bytes of elements."""
    at = place.at
    return at if size == 1 else (at[:, None] + np.arange(size)).ravel()
