"""Which large tiles lie nowhere, but are computed where somebody asks for a part of them.

A tile is *computed on demand* if that is cheap and gives the same wherever it is done. A load is so only if each
element is read before anything could have changed it: by readers in the same block with no write or barrier before
them, of which one that itself writes does not touch the same memory, except element for element in the identical view.

Who computes a tile on demand computes all that it comes from: what has become expensive by that, and is asked for more
than once, lies in memory, so that work grows with the program, not with its stages times their readers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, scf, tile
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.transforms.aliasing import accesses, may_overlap
from tilewright.transforms.schedule.recompute_tiles import is_quiet
from tilewright.transforms.schedule.regions import is_arithmetic
from tilewright.transforms.steps import STEP

_NUMBERS: Final = (arith.Constant, tile.Splat, tile.Iota)
_CHEAP: Final = (*_NUMBERS, Elementwise, tile.Broadcast, tile.Permute, tile.Extract)
_POINTWISE: Final = (Elementwise, tile.Map)
MOST_COMPUTED: Final = 32
"""Instructions for an element that are computed again rather than kept in memory: a few for each of its bytes."""
_FUNCTION: Final = 8
"""Instructions of an elementary function or a division, about."""


def is_number(value: Value) -> bool:
    """Whether a tile is nothing but a number or positions."""
    return isinstance(value.defining_op, _NUMBERS)


class OnDemand(Struct, frozen=True):
    """Which operations that give `large` tiles compute these on demand, where `lies` says of which tiles that is
    decided that they are in memory."""

    large: Callable[[Value], bool]
    lies: Callable[[Value], bool]

    def takes(self, op: Operation) -> bool:
        """Whether the result of an operation is computed where it is asked for."""
        if isinstance(op, tile.Load):
            return self._may_wait(op)
        return _is_cheap(op) and not (self._takes_long(op) and self._is_asked_again(op))

    def _takes_long(self, op: Operation) -> bool:
        """Whether it costs more than memory would to compute an element from numbers and memory."""
        cost, found, waiting = 0, {op}, [op]
        while waiting and cost <= MOST_COMPUTED:
            here = waiting.pop()
            cost += _cost(here)
            before = [value.defining_op for value in here.operands if self.large(value) and not self.lies(value)]
            new = {each for each in before if each is not None and each not in found and _is_cheap(each)}
            found |= new
            waiting += new
        return cost > MOST_COMPUTED

    def _is_asked_again(self, op: Operation) -> bool:
        """By loops, or on its way to several readers, which all compute it anew."""
        value = op.results[0]
        if any(_is_in_loop(user, op) for user in value.uses):
            return True
        return len(dict.fromkeys(value.uses)) > 1 and len({reader for reader, _ in self._readers(value)}) > 1

    def _may_wait(self, load: tile.Load) -> bool:
        for reader, pointwise in self._readers(load.out):
            if reader.block is not load.block or not is_quiet(load, reader):
                return False
            if isinstance(reader, scf.For | scf.While) or self._is_together(load, reader):
                continue
            if isinstance(reader, tile.Store) and pointwise and _same_place(load, reader):
                continue
            if any(may_overlap(x, y) for x in accesses(load) for y in accesses(reader) if y.writes):
                return False
        return True

    def _readers(self, value: Value) -> Iterator[tuple[Operation, bool]]:
        """Operations at which elements are computed, and whether only elementwise operations lie between."""
        work = seen = {(value, True)}
        while work:
            found: set[tuple[Value, bool]] = set()
            for tile_, pointwise in work:
                for user in tile_.uses:
                    if _is_cheap(user) and self.large(user.results[0]):
                        found.add((user.results[0], pointwise and isinstance(user, _POINTWISE)))
                    else:
                        yield user, pointwise
            work = found - seen
            seen = seen | work

    def _is_together(self, load: tile.Load, reader: Operation) -> bool:
        """Operands of one collective instruction overlap only element for element."""
        step = load.attributes.get(STEP)
        return step is not None and reader.attributes.get(STEP) == step


def _is_cheap(op: Operation) -> bool:
    return isinstance(op, _CHEAP) or (isinstance(op, tile.Map) and is_arithmetic(op.body))


def _same_place(load: tile.Load, store: tile.Store) -> bool:
    return load.memref is store.memref and list(load.indices) == list(store.indices)


def _cost(op: Operation) -> int:
    """Of an element, in instructions."""
    if isinstance(op, _NUMBERS):
        return 0
    if isinstance(op, tile.Map):
        return sum(map(_cost, op.body.entry))
    return _FUNCTION if op.definition.dialect == "math" or isinstance(op, arith.Div | arith.Rem) else 1


def _is_in_loop(user: Operation, op: Operation) -> bool:
    """Whether a loop that an operation stands in front of repeats one that uses it."""
    around = user.parent_op
    while around is not None and not around.is_ancestor_of(op):
        if isinstance(around, scf.For | scf.While):
            return True
        around = around.parent_op
    return False
