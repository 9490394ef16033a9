"""derive-null-arguments: which pointers may be null is written on the kernel before passes change what it accesses.

before:  builtin.kernel {sym_name = "f"} (%x: memref<f32x?>, %g: group<memref<f32>x?>) { memref.store .., %x[%i] }
after:   the same with nonnull = [0], nonnull_elements = []

A null pointer (None in a launch) is for kernels that do not access the memory, or ask whether it is there: `associated`
(with pointers a comparison of the address). Any other access through it would end the process. Of groups `nonnull` is
about the table, `nonnull_elements` about the pointers in it. Kernels that say it keep what they say. One walk, linear
in the operations.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import arith, memref
from tilewright.dialects.arith_integers import UCmp
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import BlockArgument
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import GroupType, MemrefType, PointerType
from tilewright.transforms.signature import accessed, pointer_is_nullable, root


class DeriveNullArguments(Pass, frozen=True):
    """Find out which pointers the kernel relies on."""

    name: ClassVar[str] = "derive-null-arguments"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if kernel.nonnull is None:
                kernel.nonnull, kernel.nonnull_elements = _nonnull(kernel)
                changed = True
        return changed


def _nonnull(kernel: Kernel) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Numbers of the parameters that must not be null, and of the groups that must not have nulls in their tables."""
    read, written = accessed(kernel)
    sources = [op.source for op in kernel.walk() if isinstance(op, memref.Associated)]
    tables_asked = {root(value) for value in sources if isinstance(value.type, GroupType)}
    tables = {root(op.group) for op in kernel.walk() if isinstance(op, memref.GroupLoad)} - tables_asked
    memory = (read | written) - {root(value) for value in sources if isinstance(value.type, MemrefType)}

    def relies_on(parameter: BlockArgument) -> bool:
        match parameter.type:
            case PointerType():
                return not pointer_is_nullable(parameter, lambda op: isinstance(op, arith.Cmp | UCmp))
            case GroupType():
                return parameter in tables
            case _:
                return parameter in memory

    nonnull = tuple(p.index for p in kernel.parameters if relies_on(p))
    return nonnull, tuple(p.index for p in kernel.parameters if isinstance(p.type, GroupType) and p in memory)
