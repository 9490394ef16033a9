"""widen-products: kernels whose products have open extents are compiled for small products and for large ones.

before:  builtin.kernel {sym_name = "f"} { tl.gemm %one, %A, %B, %zero, %C  (%C is a memref<f16x?x?>) }
after:   builtin.kernel {sym_name = "f"} { .. }    builtin.kernel {sym_name = "f.0", step_of = "f"} { .. }

The second kernel gets larger tiles (`TilePolicy.of`). `spread-collectives` divides both among blocks, and a launch
takes the second one where its tiles are enough to keep a device busy; where it is not divided, there is only the first.
"""

from __future__ import annotations

from typing import ClassVar

from msgspec import field

from tilewright.dialects import tl
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit
from tilewright.transforms.generic_policies import GenericTilePolicy
from tilewright.transforms.policy import TilePolicy
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.spread_collectives.phases import SAID_OF_THE_WHOLE, step_name


class WidenProducts(Pass, frozen=True):
    """Add a kernel with larger tiles where extents are known only at a launch."""

    name: ClassVar[str] = "widen-products"
    policy: TilePolicy = field(default_factory=GenericTilePolicy)
    request: ScheduleRequest = ScheduleRequest()

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if self.request.of(kernel).spread is not False and kernel.step_of is None:
                changed |= self._widen(kernel)
        return changed

    def _widen(self, kernel: Kernel) -> bool:
        block = kernel.block
        assert block is not None
        wide = kernel.clone()
        assert isinstance(wide, Kernel)
        wide.sym_name, wide.step_of = step_name(kernel, 0), kernel.sym_name
        for attribute in SAID_OF_THE_WHOLE:
            wide.attributes.pop(attribute, None)
        tiles = self.policy.of(kernel), self.policy.of(wide)
        if not any(_differ(op, *tiles) for op in kernel.walk() if isinstance(op, tl.Gemm)):
            return False
        block.insert(wide, kernel.next)
        return True


def _differ(op: tl.Gemm, usual: TilePolicy, wide: TilePolicy) -> bool:
    """Whether a product has other tiles where it is large."""
    a, b, c = (emit.memref_type(value) for value in (op.a, op.b, op.c))
    return usual.gemm_tile(a, b, c) != wide.gemm_tile(a, b, c)
