"""What tiles the products of the tensor language could have instead of those that a policy gives them.

check-products: what is asked of products is reported where there are none.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import tl
from tilewright.dialects.builtin import Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import MemrefType
from tilewright.transforms.policy import TilePolicy
from tilewright.transforms.schedule.request import ScheduleRequest


class CheckProducts(Pass, frozen=True):
    """Leaves the program as it is; behind the passes that make tiles of products."""

    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "check-products"

    def run(self, module: Module, context: PassContext) -> bool:
        self.request.check_products_there(module, context.report)
        return False


def offer_tiles(module: Module, policy: TilePolicy, context: PassContext) -> None:
    """Tell whoever asks, before products are tiles; kernels of one program share theirs, so that there is one."""
    heads = [kernel for kernel in module.kernels if kernel.step_of is None]
    if context.offers is None or len(heads) != 1:
        return
    for kernel in heads:
        for op in kernel.walk():
            if isinstance(op, tl.Gemm):
                context.offers.add(kernel.sym_name, policy.of(kernel).gemm_moves(*multiplied_types(op)))


def multiplied_types(op: tl.Gemm) -> tuple[MemrefType, MemrefType, MemrefType]:
    """Of the factors as they are multiplied, and the result."""
    a, b, c = op.a.type, op.b.type, op.c.type
    assert isinstance(a, MemrefType)
    assert isinstance(b, MemrefType)
    assert isinstance(c, MemrefType)
    return _turned(a, op.transpose_a), _turned(b, op.transpose_b), c


def _turned(type_: MemrefType, transpose: bool) -> MemrefType:
    if not transpose:
        return type_
    return MemrefType(type_.element, type_.shape[::-1], type_.strides[::-1], type_.space)
