"""Inserting operations at a point, with a location that nobody forgets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from tilewright.diagnostics import UNKNOWN, Location
from tilewright.dialects.arith import Constant
from tilewright.ir.core import Block, Operation, Region, Value
from tilewright.ir.types import BOOL, I32, INDEX, Type, element_of

OperationT = TypeVar("OperationT", bound=Operation)


class Builder:
    """Inserts operations into `block` in front of `before` (None: at the end).

    Operations without a location get the builder's.
    """

    __slots__ = ("before", "block", "location")

    def __init__(self, block: Block, before: Operation | None = None, location: Location = UNKNOWN) -> None:
        self.block = block
        self.before = before
        self.location = location

    @classmethod
    def at_end(cls, block: Block, location: Location = UNKNOWN) -> Builder:
        """Append to a block."""
        return cls(block, None, location)

    @classmethod
    def before_op(cls, op: Operation) -> Builder:
        """Insert in front of `op`, with its location."""
        assert op.block is not None
        return cls(op.block, op, op.location)

    def __call__(self, op: OperationT) -> OperationT:
        """Insert `op` here and return it."""
        if op.location is UNKNOWN:
            op.location = self.location
        self.block.insert(op, self.before)
        return op

    def constant(self, value: bool | int | float | complex, type_: Type) -> Value:
        """A constant of any type that `arith.constant` makes."""
        return self(Constant(value, result_types=[type_])).out

    def zero(self, type_: Type) -> Value:
        """Zero in the shape and element of a type."""
        element = element_of(type_)
        assert element is not None
        return self.constant(0j if element.is_complex else 0.0 if element.is_float else 0, type_)

    def index(self, value: int) -> Value:
        """An index constant."""
        return self.constant(value, INDEX)

    def int32(self, value: int) -> Value:
        """An i32 constant."""
        return self.constant(value, I32)

    def boolean(self, value: bool) -> Value:
        """A bool constant."""
        return self.constant(value, BOOL)


def new_region(argument_types: Iterable[Type] = ()) -> tuple[Region, Block]:
    """A region with one block, and that block."""
    block = Block(argument_types)
    return Region(block), block
