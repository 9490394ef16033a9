"""Whether threads of a block access one shared buffer with no barrier between, one of them writing.

All threads run the same text: iterations of i and j in blocks of their own, those of ii and jj in a warp each, those of
k and kk one after the other. The elements of a copy are distributed over the threads, so a copy is one access of all.
Buffers are taken as a whole.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from tilewright.dialects.mlir import affine, gpu
from tilewright.ir.core import Operation
from tilewright.transforms.matmul_stages.copies import is_shared
from tilewright.transforms.matmul_stages.dependences import accesses, writes
from tilewright.transforms.matmul_stages.matmul import Broken
from tilewright.transforms.matmul_stages.nests import Access, inside, name_of, numbers

CONCURRENT: Final = frozenset({"i", "j", "ii", "jj"})
"""Loops whose iterations run at once."""
SEQUENTIAL: Final = frozenset({"k", "kk"})
"""Loops whose iterations a thread runs one after the other."""


class Race(Struct, frozen=True):
    """Two accesses of which the second may run before the first of another thread has."""

    first: Access
    second: Access


class _Walk(Struct):
    """`found` grows; `pending` are the accesses since the last barrier on some path."""

    found: list[Race] = field(default_factory=list[Race])
    pending: dict[Access, None] = field(default_factory=dict[Access, None])

    def all(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if isinstance(op, gpu.Barrier):
                self.pending = {}
            elif isinstance(op, affine.For) and name_of(op) in SEQUENTIAL:
                self._repeated(op)
            elif isinstance(op, affine.For) and name_of(op) in CONCURRENT:
                self.all(inside(op))
            else:
                self._together(op)

    def _repeated(self, loop: affine.For) -> None:
        trips = numbers(loop)
        if trips is not None and len(trips) == 0:
            return
        before = dict(self.pending)
        self.all(inside(loop))
        if trips is None or len(trips) > 1:
            once = dict(self.pending)
            self.all(inside(loop))
            self.pending |= once
        if trips is None:
            self.pending |= before

    def _together(self, op: Operation) -> None:
        """What all threads do with one operation, or with one nest whose iterations they share."""
        touched = [one for one in accesses(op) if is_shared(one.memref)]
        for one in touched:
            for earlier in self.pending:
                race = Race(earlier, one)
                if earlier.memref is one.memref and (writes(earlier) or writes(one)) and race not in self.found:
                    self.found.append(race)
        self.pending |= dict.fromkeys(touched)


def races(nest: affine.For) -> list[Race]:
    """All races in a nest."""
    walk = _Walk()
    walk.all([nest])
    return walk.found


def check_uniform(nest: affine.For) -> None:
    """Every barrier is reached by all threads of a block, equally often. Raises `Broken` if not."""
    for op in nest.walk():
        if not isinstance(op, gpu.Barrier):
            continue
        for outer in op.ancestors():
            if outer is nest.parent_op:
                break
            if not isinstance(outer, affine.For) or name_of(outer) not in CONCURRENT | SEQUENTIAL:
                where = f"%{name_of(outer)}'s loop" if isinstance(outer, affine.For) else outer.name
                raise Broken("uniformity", op, f"a barrier in {where} is not reached by all threads of a block")
            if numbers(outer) is None:
                raise Broken("uniformity", op, f"threads may run %{name_of(outer)}'s loop differently often")
