"""Whether threads of a block access one shared buffer with no barrier between, one of them writing.

All threads run the same text: iterations of i and j in blocks of their own, those of ii and jj in a warp each, those of
k and kk one after the other. The elements of a copy are distributed over the threads, so a copy is one access of all.
Buffers are taken as a whole. C is looked at where warps write matrices of it and threads read or write elements.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from msgspec import Struct, field

from tilewright.dialects.mlir import affine, gpu, scf, vector
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.transforms.matmul_stages.copies import is_shared
from tilewright.transforms.matmul_stages.dependences import accesses, writes
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import Access, Element, axes_of, inside, numbers

_CONCURRENT: Final = ("i", "j", "ii", "jj")
_SEQUENTIAL: Final = ("k", "kk", "last")


class Race(Struct, frozen=True):
    """Two accesses of which the second may run before the first of another thread has."""

    first: Access
    second: Access


class Roles(Struct, frozen=True):
    """How threads run loops: iterations of some at once, those of others one after the other."""

    concurrent: frozenset[Operation]
    sequential: frozenset[Operation]

    @classmethod
    def of(cls, matmul: Matmul) -> Roles:
        """Those of the loops that the stages have made."""
        made = matmul.made.variables
        homes = {name: value.block.parent_op for name, value in made.items() if isinstance(value, BlockArgument)}
        concurrent, sequential = (
            frozenset(home for name in names if (home := homes.get(name)) is not None)
            for names in (_CONCURRENT, _SEQUENTIAL)
        )
        return cls(concurrent | {matmul.nest("races")}, sequential)


class _Walk(Struct):
    """`found` grows; `pending` are the accesses since the last barrier on some path."""

    matmul: Matmul
    roles: Roles
    found: list[Race] = field(default_factory=list[Race])
    pending: dict[Access, None] = field(default_factory=dict[Access, None])

    def all(self, ops: Iterable[Operation]) -> None:
        for op in ops:
            if isinstance(op, gpu.Barrier):
                self.pending = {}
            elif isinstance(op, affine.For) and op in self.roles.sequential:
                self._repeated(op)
            elif op in self.roles.concurrent or isinstance(op, scf.If):
                self.all(op.regions[0].entry)
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
        touched = [one for one in accesses(op) if is_shared(one.memref) or one.memref is self.matmul.c.memref]
        for one in touched:
            for earlier in self.pending:
                if earlier.memref is one.memref and not self._are_apart(earlier, one):
                    race = Race(earlier, one)
                    self.found += [] if race in self.found else [race]
        self.pending |= dict.fromkeys(touched)

    def _are_apart(self, first: Access, second: Access) -> bool:
        """Whether two accesses of one memory are known not to race.

        Rows of elements that one copy stores are told apart where copies by threads are checked, and so are elements of
        C that are dealt to threads, and matrices of C that warps have.
        """
        if not writes(first) and not writes(second):
            return True
        if isinstance(first, vector.Store) and isinstance(second, vector.Store):
            return first.block is second.block
        of_warps = not isinstance(first, Element) and not isinstance(second, Element)
        if first.memref is self.matmul.sums and of_warps:
            return True
        return first.memref is self.matmul.c.memref and isinstance(first, Element) == isinstance(second, Element)


def races(matmul: Matmul) -> list[Race]:
    """All races in what computes the tiles."""
    walk = _Walk(matmul, Roles.of(matmul))
    walk.all([matmul.nest("races")])
    return walk.found


def check_uniform(matmul: Matmul) -> None:
    """Every barrier is reached by all threads of a block, equally often. Raises `Broken` if not."""
    nest, roles = matmul.nest("uniformity"), Roles.of(matmul)
    for op in nest.walk():
        if not isinstance(op, gpu.Barrier):
            continue
        for outer in op.ancestors():
            if outer is nest.parent_op:
                break
            axes = axes_of(outer)
            if isinstance(outer, scf.If) and isinstance(nest, gpu.Launch) and not _is_of_threads(nest, outer):
                continue
            if outer not in roles.concurrent | roles.sequential:
                where = f"%{axes[0].name}'s loop" if axes else outer.name
                raise Broken("uniformity", op, f"a barrier in {where} is not reached by all threads of a block")
            endless = next((axis for axis in axes if axis.numbers is None), None)
            if endless is not None:
                raise Broken("uniformity", op, f"threads may run %{endless.name}'s loop differently often")


def _is_of_threads(launch: gpu.Launch, branch: scf.If) -> bool:
    """Whether threads of a block may take different ways at a branch."""
    own, seen, pending = set[Value](launch.ids(1)), set[Value](), [branch.condition]
    while pending:
        value = pending.pop()
        home = value.defining_op
        if value in own or (home is not None and home.effects() != ()):
            return True
        if home is not None and value not in seen:
            seen.add(value)
            pending += home.operands
    return False
