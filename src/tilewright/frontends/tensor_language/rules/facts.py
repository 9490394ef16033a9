"""What the verifier can prove: constants, and values that certainly differ between work-items."""

from __future__ import annotations

from tilewright.dialects import arith, team, tl
from tilewright.ir.core import BlockArgument, Value
from tilewright.ir.types import MemrefType, ScalarType

_MAX_DEPTH = 64


def constant_of(value: Value) -> bool | int | float | complex | None:
    """The value of a `constant` instruction, else None."""
    op = value.defining_op
    return op.value if isinstance(op, arith.Constant) else None


def integer_of(value: Value) -> int | None:
    """The value of an integer constant, else None."""
    found = constant_of(value)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def element(value: Value) -> ScalarType | None:
    """Element type of a memref, the type of a scalar, None for anything else."""
    if isinstance(value.type, MemrefType):
        return value.type.element
    return value.type if isinstance(value.type, ScalarType) else None


def varies(value: Value, depth: int = 0) -> bool:
    """Whether a value provably differs between the work-items of a subgroup: it is computed from the work-item's number
    or from a foreach variable by arithmetic alone."""
    if isinstance(value, BlockArgument):
        return isinstance(value.block.parent_op, tl.Foreach)
    op = value.defining_op
    if isinstance(op, team.SubgroupLocalId):
        return True
    simple = isinstance(op, arith.Add | arith.Sub | arith.Cast | arith.Neg | arith.Cmp)
    return simple and depth < _MAX_DEPTH and any(varies(o, depth + 1) for o in op.operands)


def spelled(shape: tuple[int | None, ...]) -> str:
    """A shape as in an error message."""
    return "scalar" if not shape else "x".join("?" if s is None else str(s) for s in shape)


def name_of(value: Value) -> str:
    """The value's name as in the text."""
    return f"%{value.name}" if value.name else "this value"
