"""What a ring of stages needs beside its own barriers where blocks of a cluster fill each other's stages.

A block copies its share of a box for all that multiply the same factor. So it waits before that until all of them
have read the stage: each says so at a barrier of each block that fills its stages (`gpu.release`), one for each stage.
Blocks do so at about the same time, so each fills the stage that it has released an iteration before, and does not wait
long; or the one that it has just released, while a long product goes on. Before the first share all blocks must have
opened their barriers: the cluster meets. None may end before the others have arrived at its barriers for the last time:
a block waits for that behind its last product. To meet once more would need a fence for all memory (H200: a
microsecond).
"""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from tilewright.dialects import gpu_clusters as clusters
from tilewright.dialects import gpu_tensors as tensors
from tilewright.dialects import scf
from tilewright.dialects.arith import Cmp, Predicate
from tilewright.dialects.builder import Builder
from tilewright.ir.core import Value
from tilewright.transforms import emit
from tilewright.transforms.schedule.products.iterations import is_iteration, stage_of

_ENOUGH: Final = 4
"""Stages of which one waits for other blocks."""


class ClusterRing(Struct, frozen=True):
    """`released` is the memory of a barrier for each stage, at which `arrivals` blocks say that they have read it.

    The factors of the sides `shared` are copied by several blocks, 0 is the left one. `count` are the stages. Products
    that are `long` go on until the others have said so.
    """

    released: Value
    arrivals: int
    shared: frozenset[int]
    count: int
    long: bool = False

    def open(self, build: Builder) -> None:
        """Make barriers, and let all blocks see each other's, those of the ring too."""
        build(tensors.OpenBarriers(self.released, arrivals=self.arrivals))
        build(clusters.ClusterBarrier())

    def close(self, build: Builder, turn: Value) -> None:
        """Wait until nobody accesses this block's memory any more; `turn` is the one that would follow.

        As if all stages were filled once more: whatever was read has been released by all blocks then.
        """
        for number in range(self.count):
            following = emit.add(build, turn, build.index(number))
            stage = stage_of(build, following, self.count)
            build(tensors.AwaitReaders(self.released, stage, self.parity_of_first(build, following)))
        build(tensors.CloseBarriers(self.released))

    def release(self, build: Builder, loop: scf.For, stage: Value) -> None:
        """Behind a barrier of the block: what the iteration before has read may be filled, if there was one."""
        is_later = build(Cmp(Predicate.NE, loop.index, loop.lower)).out
        emit.open_if(build, is_later)(clusters.Release(self.released, stage))

    def release_last(self, build: Builder, loop: scf.For, turn: Value) -> None:
        """The same behind the loop, of its last iteration; `turn` is the one that would follow."""
        lower = emit.to_index(build, loop.lower)
        ran = is_iteration(build, loop, lower, lower)
        if ran is False:
            return
        at = build if ran is True else emit.open_if(build, ran)
        count = at.index(self.count)
        again = at(Cmp(Predicate.GE, turn, count)).out
        stage = emit.select(at, again, emit.sub(at, turn, count), turn)
        last = emit.sub(at, stage, at.index(1))
        stage = emit.select(at, emit.equals_zero(at, stage), at.index(self.count - 1), last)
        at(clusters.Release(self.released, stage))

    @property
    def lag(self) -> int:
        """How many iterations pass from saying that a stage has been read to filling it, which the others say late.

        One, where there are stages enough that factors still have time to arrive, and products are short: of long ones
        it takes time from what arrives. H200, f16 3000 by tiles of 192 x 192, four stages: 105.0 us for 94.8.
        """
        return int(self.count >= _ENOUGH and not self.long)

    def next(self, build: Builder, read: Value, parity: Value) -> tuple[Value, Value]:
        """What is filled while a stage is read, whose turn has a parity; the phase behind which that may be done."""
        behind = build.index(1 + self.lag)
        is_first = emit.less(build, read, behind)
        beyond = emit.add(build, read, build.index(self.count - 1 - self.lag))
        stage = emit.select(build, is_first, beyond, emit.sub(build, read, behind))
        return stage, emit.select(build, is_first, emit.sub(build, build.index(1), parity), parity)

    def parity_of_first(self, build: Builder, turn: Value) -> Value:
        """Of the phase behind which the stage of a turn may be filled, which may have gone round once more."""
        zero, one, count = build.index(0), build.index(1), build.index(self.count)
        is_again = emit.both(
            build, emit.not_less(build, turn, count), emit.less(build, turn, build.index(2 * self.count))
        )
        return emit.select(build, is_again, zero, one)
