"""copy-at-once: where no device copies by itself, threads load and store what they would have begun to copy.

before:  lane.copy_async %a[%i], %s[%j] {width = 8}  gpu.commit_copies  ..  gpu.await_copies {pending = 2}
after:   %x0 = memref.load %a[%i]  memref.store %x0, %s[%j]  %x1 = memref.load %a[%i + 1]  ..

What nobody may touch before it has arrived may as well be there at once, and there is nothing to await. Copies that
test bounds are made for devices that copy by themselves, and stay.
"""

from __future__ import annotations

from typing import ClassVar, Final

from tilewright.dialects import memref
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms import emit

_COPY: Final = "lane.copy_async"
_AROUND: Final = ("gpu.commit_copies", "gpu.await_copies")
"""Names, since what declares them takes a while to import: every program comes by here, and few have copies."""


class CopyAtOnce(Pass, frozen=True):
    """Of all kernels, for targets without asynchronous copies."""

    name: ClassVar[str] = "copy-at-once"

    def run(self, module: Module, context: PassContext) -> bool:
        found = [op for op in module.walk() if op.name in _AROUND or (op.name == _COPY and _needs_no_test(op))]
        for op in found:
            if op.name == _COPY:
                _copy(op)
            op.erase()
        return bool(found)


def _needs_no_test(op: Operation) -> bool:
    from tilewright.dialects.lane_products import CopyAsync

    assert isinstance(op, CopyAsync)
    return not any(op.check)


def _copy(op: Operation) -> None:
    from tilewright.dialects import lane, lane_products

    assert isinstance(op, lane_products.CopyAsync)
    build = Builder.before_op(op)
    read = lane.offsets(op.registers, len(op.indices))
    written = lane.offsets(op.target_registers, len(op.target_indices))
    for here, there in zip(read, written, strict=True):
        source, target = (
            [emit.add(build, index, build.index(step)) for index, step in zip(indices, steps, strict=True)]
            for indices, steps in ((op.indices, here), (op.target_indices, there))
        )
        build(memref.Store(build(memref.Load(op.memref, source)).out, op.target, target))
