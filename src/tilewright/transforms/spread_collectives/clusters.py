"""Tiles of products for clusters: blocks that run at a time beside each other take neighbours, which share factors.

before:  scf.for %t = %part to %tiles step %parts { %j = .. %t ..  %i = .. %t .. }
after:   scf.for %t = %cluster to %clusters step %parts / 2 { %j = .. %t ..  %i = 2 * (.. %t ..) + %rank }

Where the tiles of a result are no multiple, some lie beyond it: their blocks load zeros there, store nothing, and copy
what they share with others. So the blocks of a cluster run the same iterations.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilewright.dialects import scf, tile
from tilewright.dialects.arith_integers import UDiv
from tilewright.dialects.builder import Builder
from tilewright.dialects.gpu_clusters import ClusterId, ClusterRank
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.transforms import emit
from tilewright.transforms.spread_collectives.tasks import Task

_LOOPS = 2
"""Around a tile of a product, that clusters know."""


class Clusters(Struct, frozen=True):
    """Blocks of a cluster along the last two loops around tiles of products; `dims` are these in terms of m and n."""

    extents: tuple[int, int]
    dims: tuple[int, int]

    @staticmethod
    def of(tasks: Sequence[Task], cluster: tuple[int, int]) -> Clusters | str:
        """For the products of a kernel, `cluster` along m and n; why there are none."""
        found = {_dims(task) for task in tasks if task.multiplies}
        if not found:
            return "it has no products that blocks share"
        (first, *others) = found
        if first is None or others:
            return "its products are not tiles of one result by a loop over m and one over n"
        if any(_does_more(op) for task in tasks if task.multiplies for each in task.body for op in each.walk()):
            return "with a tile more is done than load, multiply and store, also beyond the edge of the result"
        outer, inner = first
        return Clusters((cluster[outer], cluster[inner]), (outer, inner))

    def goes_beyond(self, counts: Sequence[Value]) -> bool:
        """Whether some of the tiles of clusters may lie beyond the result."""
        last = zip(map(emit.integer_of, counts[-_LOOPS:]), self.extents, strict=True)
        return any(extent > 1 and (count is None or count % extent > 0) for count, extent in last)

    def counts(self, build: Builder, counts: Sequence[Value]) -> list[Value]:
        """Iterations of loops over clusters of tiles."""
        last = zip(counts[-_LOOPS:], self.extents, strict=True)
        return [*counts[:-_LOOPS], *(_divided_up(build, count, extent) for count, extent in last)]

    def numbered(self, build: Builder, count: Value, band: int) -> tuple[Value, Value, int]:
        """Which cluster this is, of how many, and rows of these that are taken together."""
        outer, inner = self.extents
        together = outer * inner
        clusters = build(UDiv(count, build.index(together))).out
        return build(ClusterId()).out, clusters, max(band // inner, 1)

    def tiles(self, build: Builder, numbers: Sequence[Value]) -> list[Value]:
        """The tile of this block, of those of a cluster."""
        found = list(numbers[:-_LOOPS])
        for number, extent, dim in zip(numbers[-_LOOPS:], self.extents, self.dims, strict=True):
            if extent == 1:
                found.append(number)
                continue
            rank = build(ClusterRank(dim)).out
            found.append(emit.add(build, emit.mul(build, number, build.index(extent)), rank))
        return found


def bound_tiles(block: Block) -> None:
    """Let loads and stores of tiles test where these end, beyond which tiles of a cluster may lie."""
    for op in block:
        for each in op.walk():
            if isinstance(each, tile.Load | tile.Store):
                each.check = (True,) * len(each.indices)


def _divided_up(build: Builder, count: Value, extent: int) -> Value:
    if extent == 1:
        return count
    known = emit.integer_of(count)
    if known is not None:
        return build.index(-(-known // extent))
    return build(UDiv(emit.add(build, count, build.index(extent - 1)), build.index(extent))).out


def _dims(task: Task) -> tuple[int, int] | None:
    """Whether the last two loops are those over m (0) or n (1) of all products; None if one is neither or both."""
    loops = task.loops[-_LOOPS:]
    products = [op for each in task.body for op in each.walk() if isinstance(op, tile.Mma)]
    found: list[int] = []
    for loop in loops:
        sides = {(_depends(op.lhs, loop.index), _depends(op.rhs, loop.index)) for op in products}
        if sides not in ({(True, False)}, {(False, True)}):
            return None
        found.append(0 if (True, False) in sides else 1)
    return (found[0], found[1]) if sorted(found) == [0, 1] else None


def _depends(value: Value, index: Value) -> bool:
    """Whether an operation behind a value uses an index."""
    work, seen = [value], set[Value]()
    while work:
        each = work.pop()
        if each is index:
            return True
        if each not in seen and each.defining_op is not None:
            seen.add(each)
            work += each.defining_op.operands
    return False


def _does_more(op: Operation) -> bool:
    """Whether an operation that runs with each tile does more than loads and stores, which can be bounded."""
    known = isinstance(op, tile.Load | tile.Store | scf.For | scf.Yield)
    return not known and PURE not in op.definition.traits
