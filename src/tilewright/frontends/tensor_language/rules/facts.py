"""What the verifier can prove: constants, and values that certainly differ between work-items."""

from __future__ import annotations

from tilewright.dialects import arith, memref, team, tl
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import MemrefType, ScalarType, Type, element_of

Number = bool | int | float | complex

_MAX_STEPS = 32
"""Definitions that one question looks at; behind them nothing is known, so that long chains cost little."""


def constant_of(value: Value) -> Number | None:
    """What a value is for certain: a literal, a static extent, integer arithmetic on such, or `x * 0`; else None."""
    op = value.defining_op
    return op.value if isinstance(op, arith.Constant) else _folded(value, {})


def integer_of(value: int | Value) -> int | None:
    """The integer that a number, or a value for certain, is, else None."""
    found = value if isinstance(value, int) else constant_of(value)
    return found if isinstance(found, int) and not isinstance(found, bool) else None


def _folded(value: Value, known: dict[Value, Number | None]) -> Number | None:
    if value in known:
        return known[value]
    if len(known) >= _MAX_STEPS:
        return None
    known[value] = None
    op = value.defining_op
    if isinstance(op, arith.Constant):
        known[value] = op.value
    elif isinstance(op, memref.Size):
        known[value] = _static_extent(op)
    elif op is not None and op.operands and _folds(op):
        values = [_folded(v, known) for v in op.operands]
        if _is_zero(op, values):
            known[value] = 0
        elif None not in values:
            from tilewright.transforms.fold import compute

            known[value] = compute(op, [v for v in values if v is not None])
    return known[value]


def _is_zero(op: Operation, values: list[Number | None]) -> bool:
    """Whether integer arithmetic gives 0 whatever the operands are that nothing is known about."""
    match op:
        case arith.Mul() | arith.And():
            return 0 in values
        case arith.Sub() | arith.Xor():
            return op.lhs is op.rhs
        case arith.Rem():
            return values[0] == 0 or values[1] in (1, -1)
        case arith.Div() | arith.Shl() | arith.Shr():
            return values[0] == 0
        case _:
            return False


def _static_extent(op: memref.Size) -> int | None:
    type_ = op.source.type
    return type_.shape[op.mode] if isinstance(type_, MemrefType) and 0 <= op.mode < type_.order else None


def _folds(op: Operation) -> bool:
    """Whether an operation is well-typed arithmetic on integers."""
    if not isinstance(op, Elementwise):
        return False
    type_ = op.operands[0].type
    if not (_is_integer(type_) and all(v.type == type_ for v in op.operands)):
        return False
    return all(v.type == type_ or _is_integer(v.type) for v in op.results)


def _is_integer(type_: Type) -> bool:
    found = element_of(type_)
    return found is not None and found.is_integer


def element(value: Value) -> ScalarType | None:
    """Element type of a memref, the type of a scalar, None for anything else."""
    if isinstance(value.type, MemrefType):
        return value.type.element
    return value.type if isinstance(value.type, ScalarType) else None


def varies(value: Value) -> bool:
    """Whether a value provably differs between the work-items of a subgroup: it is computed from the work-item's number
    or from a foreach variable by arithmetic that keeps them apart."""
    return _varies(value, {})


def _varies(value: Value, known: dict[Value, bool]) -> bool:
    if value in known:
        return known[value]
    if len(known) >= _MAX_STEPS:
        return False
    known[value] = False
    op = value.defining_op
    if isinstance(value, BlockArgument):
        known[value] = isinstance(value.block.parent_op, tl.Foreach)
    elif isinstance(op, team.SubgroupLocalId):
        known[value] = True
    elif isinstance(op, arith.Add | arith.Sub | arith.Cmp | arith.Xor):
        # Two varying operands may cancel each other.
        known[value] = sum(_varies(v, known) for v in op.operands) == 1
    elif isinstance(op, arith.Cast | arith.Neg | arith.Not):
        known[value] = _varies(op.operands[0], known)
    return known[value]


def subgroup_size_of(op: Operation) -> int | None:
    """The subgroup size that the kernel around an operation asks for."""
    for outer in op.ancestors():
        if isinstance(outer, Kernel):
            size = outer.attributes.get("subgroup_size")
            return size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else None
    return None


def spelled(shape: tuple[int | None, ...]) -> str:
    """A shape as in an error message."""
    return "scalar" if not shape else "x".join("?" if s is None else str(s) for s in shape)


def name_of(value: Value) -> str:
    """The value's name as in the text."""
    return f"%{value.name}" if value.name else "this value"


def said(op: Operation, index: int) -> str:
    """An operand as the text has it, which may be a literal."""
    where = op.place(("operand", index)).primary
    return name_of(op.operands[index]) if where is None else where.source.text[where.start : where.end]


def counted(number: int, noun: str) -> str:
    """`1 value`, `2 values`, `3 indices`."""
    plural = {"index": "indices", "entry": "entries"}.get(noun, f"{noun}s")
    return f"{number} {noun if number == 1 else plural}"
