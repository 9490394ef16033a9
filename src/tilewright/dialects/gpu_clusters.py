"""Clusters: blocks that run at a time beside each other, and reach each other's shared memory.

A cluster has `cluster` of the kernel blocks, so many along m of products by so many along n, which follow each other in
the grid along x. Its ranks count along m first. Blocks with the same place along n multiply the same right factors,
those with the same place along m the same left ones: each copies a share of such a factor to all of them.

Blocks are no part of each other: a block may write to another one's memory only behind a `gpu.cluster_barrier` that
follows the other one's `gpu.open_barriers`, and none may end while others still write to its memory or arrive at its
barriers: it waits for the last of these (`gpu.await_readers`).
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Final

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.gpu_tensors import check_barriers, check_copy
from tilewright.dialects.tile_rules import fail
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import (
    CONVERGENT,
    PURE,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    result,
)
from tilewright.ir.effects import Effect, EffectKind, reads, writes
from tilewright.ir.types import INDEX, INDEX_ONLY, MEMREF

MOST_BLOCKS: Final = 8
"""Of a cluster, on every machine that has them."""
ROWS_TOGETHER: Final = 8
"""Lines that are swizzled together: no share is less."""


def cluster_of(op: CoreOperation) -> tuple[int, int]:
    """Blocks of a cluster along m and n of the kernel in which an operation stands."""
    kernel = next((each for each in op.ancestors() if isinstance(each, Kernel)), None)
    return (1, 1) if kernel is None or kernel.cluster is None else kernel.cluster


def sharers(cluster: tuple[int, int], side: int, rank: int) -> list[int]:
    """The ranks of the blocks that multiply the same factor as that of a rank: the left one (`side` 0), or the right.

    In the order of the shares that they copy.
    """
    rows, columns = cluster
    m, n = rank % rows, rank // rows
    return [m + rows * k for k in range(columns)] if side == 0 else [k + rows * n for k in range(rows)]


def partners(cluster: tuple[int, int], rank: int) -> list[int]:
    """The ranks of the blocks that copy to the memory of that of a rank, itself among them."""
    return sorted({*sharers(cluster, 0, rank), *sharers(cluster, 1, rank)})


class ClusterId(Operation, name="gpu.cluster_id", traits=(PURE,)):
    """Number of the cluster among those that the work-group is divided into."""

    out: Value = result(infer=lambda op: INDEX)


class ClusterRank(Operation, name="gpu.cluster_rank", traits=(PURE,)):
    """Place of the block in its cluster along m (0) or n (1) of products."""

    dim: int = attribute(int)
    out: Value = result(infer=lambda op: INDEX)

    def verify(self, report: Report) -> None:
        if self.dim not in (0, 1):
            fail(self, report, f"a cluster has blocks along m and n, not along dimension {self.dim}", "dim")


class ClusterBarrier(Operation, name="gpu.cluster_barrier", traits=(CONVERGENT,)):
    """All threads of all blocks of the cluster arrive before any leaves.

    Barriers that were opened before it are seen behind it; nothing else that was written need be.
    """

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]


class MulticastTensor(Operation, name="gpu.multicast_tensor"):
    """Begins to copy this block's share of a box into a stage of all blocks that multiply the same factor.

    It is a `gpu.copy_tensor` of as many of the box's rows as each of them copies, one share behind the other in the
    order of their ranks: to the same place in the memory of each, where the barrier of the same number counts the
    bytes. `side` is 0 for left factors. All blocks that share must ask, each of the same box; the phase of each block's
    barrier has the bytes of all shares.
    """

    memref: Value = operand(MEMREF)
    indices: list[Value] = operands(INDEX_ONLY)
    target: Value = operand(MEMREF)
    stage: Value = operand(INDEX_ONLY)
    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
    modes: tuple[int, int] = attribute(tuple)
    side: int = attribute(int)
    warp: int = optional_attribute(int, default=0)

    @property
    def shares(self) -> int:
        """Blocks that copy some of the box each."""
        return cluster_of(self)[1 - self.side]

    def effects(self) -> Sequence[Effect]:
        return [*reads(self.memref), *writes(self.target)]

    def verify(self, report: Report) -> None:
        if self.side not in (0, 1):
            fail(self, report, f"a product has two factors, not one of side {self.side}", "side")
            return
        check_barriers(self, report, self.barriers)
        check_copy(self, report, (memref_of(self.memref), memref_of(self.target)), len(self.indices), self.modes)
        rows = memref_of(self.target).shape[1] or 0
        if self.shares < 2:
            fail(self, report, "no other block of the cluster multiplies this factor")
        elif rows % (ROWS_TOGETHER * self.shares):
            fail(self, report, f"{rows} rows are no {self.shares} shares of lines that are swizzled together")


class _ReadByOthers(Operation):
    """Arrives at a barrier of its first operand in several blocks."""

    __slots__ = ()

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ORDER)]

    def verify(self, report: Report) -> None:
        check_barriers(self, report, self.operands[0])
        if prod(cluster_of(self)) < 2:
            fail(self, report, "the kernel has no clusters")


class Release(_ReadByOthers, name="gpu.release"):
    """Arrives at the barrier of a number in each block that copies to the memory of this one, which has read a stage.

    One thread does, behind a barrier at which all have awaited what they multiply of the stage. The barrier was opened
    for as many arrivals as there are such blocks, this one among them; `gpu.await_readers` waits for all.
    """

    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)


class ReleaseByWarps(_ReadByOthers, name="gpu.release_by_warps"):
    """Each warp arrives at the barrier of a number in each block that copies to the memory of this one.

    It has awaited what it multiplies of a stage, and waits for nobody: a `gpu.arrive` for several blocks. The barrier
    was opened for the warps of all such blocks, this one among them; `gpu.await_readers` waits for all.
    """

    barriers: Value = operand(MEMREF)
    number: Value = operand(INDEX_ONLY)
