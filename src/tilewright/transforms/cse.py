"""cse: an operation that an earlier one computed already is replaced by its results.

before:  %a = arith.add %x, %y    %b = arith.add %y, %x    use %b
after:   %a = arith.add %x, %y    use %a

Only pure operations without regions, found again in the same block or in one around it. Tiles do not cross into SPMD
regions, where they would belong to another team.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Attribute, Block, Operation, Value
from tilewright.ir.definition import COMMUTATIVE, PURE, SPMD_REGION
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import TileType

Key = Hashable
Scope = dict[Key, Operation]


class EliminateCommonSubexpressions(Pass, frozen=True):
    """Compute equal values once."""

    name: ClassVar[str] = "cse"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            changed |= eliminate_common_subexpressions(kernel)
        return changed


def eliminate_common_subexpressions(kernel: Kernel) -> bool:
    """Compute equal values of a kernel once; whether there were any."""
    return _block(kernel.body.entry, {})


def _block(block: Block, known: Scope) -> bool:
    """`known` are the operations that dominate the block, the last of them last; those of the block itself go again."""
    outside = len(known)
    changed = False
    for op in block:
        if op.regions:
            inner = known
            if SPMD_REGION in op.definition.traits:
                inner = {k: v for k, v in known.items() if not isinstance(v.results[0].type, TileType)}
            for region in op.regions:
                for nested in region.blocks:
                    changed |= _block(nested, inner)
        elif PURE in op.definition.traits and op.results:
            changed |= _visit(op, known)
    while len(known) > outside:
        known.popitem()
    return changed


def _visit(op: Operation, known: Scope) -> bool:
    key = _key(op)
    earlier = known.setdefault(key, op)
    if earlier is op:
        return False
    for old, new in zip(op.results, earlier.results, strict=True):
        old.replace_all_uses_with(new)
    op.erase()
    return True


def _key(op: Operation) -> Key:
    operands: list[Value] = list(op.operands)
    if COMMUTATIVE in op.definition.traits:
        operands[:2] = sorted(operands[:2], key=id)
    types = tuple(r.type for r in op.results)
    return (type(op), tuple(operands), tuple((k, frozen(v)) for k, v in sorted(op.attributes.items())), types)


def frozen(value: Attribute) -> Hashable:
    """An attribute as a key; tells 0.0 from -0.0, 1 from 1.0 and True, and equal NaNs are one."""
    if isinstance(value, bool | int | float | complex):
        return (type(value).__name__, repr(value))
    if isinstance(value, tuple):
        return tuple(frozen(v) for v in value)
    if isinstance(value, dict):
        return tuple((k, frozen(v)) for k, v in sorted(value.items()))
    return value
