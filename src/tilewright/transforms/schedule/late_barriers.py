"""late-barriers: where each thread goes on with its own elements, nobody waits.

before:  tile.store %x, %B[0] : tile<256xf32, #l>    team.barrier {fence_global}    %y = tile.load %B[0] : tile<.., #l>
after:   tile.store %x, %B[0] : tile<256xf32, #l>    %y = tile.load %B[0] : tile<.., #l>

Barriers are inserted before layouts are known, where any thread might have any element. Here they are known, and what
is needless is taken away again, by the same rules (`insert_barriers.py`). Kernels with asynchronous copies are left
alone: theirs order more than accesses of threads.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import gpu
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.insert_barriers import needless
from tilewright.transforms.schedule.known import runs_lanes

_TRIED: Final = 32
"""As many fences of a kernel are tried to do without, each by a walk over all of it."""
_SYNCHRONOUS: Final = (gpu.ConvertLayout, gpu.Spill)
"""Operations of the gpu level after which nothing is under way."""


class LateBarriers(Pass, frozen=True):
    """Remove barriers that layouts make needless."""

    name: ClassVar[str] = "late-barriers"

    def run(self, module: Module, context: PassContext) -> bool:
        kernels = [kernel for kernel in module.kernels if runs_lanes(kernel) and not _is_asynchronous(kernel)]
        found = [fence for kernel in kernels for fence in needless(kernel, _TRIED)]
        return bool(found)


def _is_asynchronous(kernel: Kernel) -> bool:
    return any(op.definition.dialect == "gpu" and not isinstance(op, _SYNCHRONOUS) for op in kernel.walk())
