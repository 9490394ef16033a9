"""What of launches asks whether there are maps of matrices: the launch itself, the kernel, or one of two kernels.

before:  a loop whose factors the machine copies                       {schedule = "copies=tensor"}
after:   scf.if (gpu.has_maps %tests) { that loop } else { one in which threads copy }     {schedule = ".. maps=apart"}

Launches see addresses, extents and strides, and make the maps: they know which there are before the kernel runs. So
what multiplies in one loop gets two entries (`targets/nvidia/generation.py`): launches that have all maps take one in
which `gpu.has_maps` holds and nothing of the other way is left, all others the one with both ways.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.dialects.gpu_launches import HasMaps
from tilewright.ir.core import Value
from tilewright.ir.schedules import Maps
from tilewright.transforms.schedule.products.choice import Products
from tilewright.transforms.schedule.products.demanded_maps import demand_map
from tilewright.transforms.schedule.products.matrices import Matrix, tests_of
from tilewright.transforms.schedule.said import schedule_of


class AskedMaps(Struct, frozen=True):
    """How a kernel finds out whether its launch has maps; `apart` if there is an entry for those that have all."""

    kernel: Kernel
    apart: bool

    @staticmethod
    def of(kernel: Kernel, products: Products) -> AskedMaps:
        """As its schedule says. By default where a loop has one product.

        Attention of 16 heads on an H200 took .98 to .99 of the time by two entries with width 128, but up to 1.15 with
        width 64 and causal, and compiles in 1.4 of the time.
        """
        said = schedule_of(kernel).maps
        alone = any(ahead.by_tensor and len(ahead.products) == 1 for ahead in products.loops.values())
        return AskedMaps(kernel, said is Maps.APART or (said is None and alone))

    def tests(self, build: Builder, matrices: Sequence[Matrix]) -> Value | None:
        """Whether the launch has maps of matrices; None if it surely has."""
        schedule, untold = schedule_of(self.kernel), matrices
        if schedule.maps is Maps.DEMANDED:
            untold = [matrix for matrix in matrices if not demand_map(self.kernel, matrix)]
        found = tests_of(build, untold)
        if found is None or not self.apart:
            return found
        self.kernel.schedule = str(replace(schedule, maps=Maps.APART))
        return build(HasMaps(found)).out


def surely(build: Builder, matrices: Sequence[Matrix]) -> Value | None:
    """Where a branch around has asked for the maps of matrices: nothing is asked again."""
