"""Kernels compiled as if threads had but few registers for a tile, so that nearly all of their tiles are sliced."""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects.builtin import Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.numerics.precision import Precision
from tilewright.targets.nvidia.target import NvidiaTarget
from tilewright.transforms.schedule.known import teams_of, tiles_of
from tilewright.transforms.schedule.slicing.slice_tiles import slice_tiles
from tilewright.transforms.schedule.spreading import registers_of
from tilewright.transforms.tile_values import tile_type

LANES = 8
"""Of the only subgroup of kernels whose threads are left to the compiler."""


class SliceAll(Pass, frozen=True):
    """No tile takes more than `most` registers of a thread."""

    most: int = 1
    name: ClassVar[str] = "slice-all"

    def run(self, module: Module, context: PassContext) -> None:
        for kernel in module.kernels:
            if kernel.spread:
                kernel.subgroup_size, kernel.work_group_size = LANES, (LANES, 1)
            slice_tiles(kernel, self.most)
            teams = teams_of(kernel)
            left = {
                str(value.type) for value in tiles_of(kernel) if registers_of(tile_type(value).shape, teams) > self.most
            }
            assert not left, f"not sliced: {', '.join(left)}"


class FewRegisters(NvidiaTarget, frozen=True):
    """The device, with that pass in front of the choice of schedules."""

    most: int = 1

    def passes(self, level: int, checked: bool = False, precision: Precision = Precision.EXACT) -> list[Pass]:
        """As those of the target, and one more."""
        steps = super().passes(level, checked, precision)
        first = [step.name for step in steps].index("choose-schedule")
        return [*steps[:first], SliceAll(self.most), *steps[first:]]
