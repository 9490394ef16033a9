"""late-barriers: where each thread goes on with its own elements, nobody waits.

before:  tile.store %x, %B[0] : tile<256xf32, #l>    team.barrier {fence_global}    %y = tile.load %B[0] : tile<.., #l>
after:   tile.store %x, %B[0] : tile<256xf32, #l>    %y = tile.load %B[0] : tile<.., #l>

Barriers are inserted before layouts are known, where any thread might have any element. Here they are known, and what
is needless is taken away again, by the same rules (`insert_barriers.py`). Kernels with asynchronous copies are left
alone: theirs order more than accesses of threads.

A fence is needed if what follows it, up to the next one, waits for what it fences: one walk tells that of almost all.
The others are tried to do without, all of them at once and else one after the other, each by a walk over the kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Final

from tilewright.dialects import gpu, team
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.footprints import Footprints
from tilewright.transforms.insert_barriers import Fence, Insertion, fences_of, multiplies, set_fence
from tilewright.transforms.pending import SPACES, Pending, conflict
from tilewright.transforms.schedule.known import collective, runs_lanes

_TRIED: Final = 32
"""As many fences of a kernel are tried to do without."""
_SYNCHRONOUS: Final = (gpu.ConvertLayout, gpu.Spill)
"""Operations of the gpu level after which nothing is under way."""


class LateBarriers(Pass, frozen=True):
    """Remove barriers that layouts make needless."""

    name: ClassVar[str] = "late-barriers"

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if runs_lanes(kernel) and not _is_asynchronous(kernel)]
        found = [fence for kernel in kernels for fence in remove_needless(kernel)]
        return bool(found)


def _is_asynchronous(kernel: Kernel) -> bool:
    return any(op.definition.dialect == "gpu" and not isinstance(op, _SYNCHRONOUS) for op in kernel.walk())


def remove_needless(kernel: Kernel) -> Sequence[Fence]:
    """Remove of the first fences between collective steps those without which nothing touches what it should wait for.

    They are removed in their order: whether one is needless is asked when those before it are gone. These are returned.
    """
    fences = [(op, space) for op in collective(kernel) if isinstance(op, team.Barrier) for space in SPACES]
    fences = [(barrier, space) for barrier, space in fences if space in fences_of(barrier)][:_TRIED]
    trials = _Trials(kernel)
    found = trials.look()
    if found.unsafe:
        return ()
    doubtful = [fence for fence in fences if not _is_waited_for(fence, found)]
    if not doubtful or trials.does_without(doubtful):
        return doubtful
    return [fence for fence in doubtful if trials.does_without([fence])]


class _Trials:
    """Looks at a kernel whose barriers change, and nothing else does."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._footprints = Footprints()
        self._multiplies = multiplies(kernel)

    def look(self) -> Insertion:
        """What a walk over the kernel finds."""
        found = Insertion(self._footprints, only_looking=True, multiplies=self._multiplies)
        found.block(self._kernel.body.entry, Pending())
        return found

    def does_without(self, fences: Sequence[Fence]) -> bool:
        """Whether nothing waits for these fences; then they are gone."""
        for barrier, space in fences:
            set_fence(barrier, space, False)
        if self.look().unsafe:
            for barrier, space in fences:
                set_fence(barrier, space, True)
            return False
        for barrier in dict.fromkeys(barrier for barrier, _ in fences):
            if not fences_of(barrier):
                barrier.erase()
        return True


def _is_waited_for(fence: Fence, found: Insertion) -> bool:
    """Whether a step that follows a fence in its block, with no other one in between, waits for what it fences."""
    return conflict(found.cleared.get(fence, {}), found.reached_behind(*fence))
