"""What a call of an intrinsic passes, taken operand by operand: tokens, constant numbers, types of tensors."""

from __future__ import annotations

from typing import Final

from tilewright.dialects.tlx.types import TensorType
from tilewright.frontends.tlx.codes import LIMIT, NOT_CONSTANT, OPERANDS
from tilewright.frontends.tlx.context import MOST_DIMENSIONS, Broken, FunctionImport
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm import types as llvm
from tilewright.frontends.tlx.llvm.folding import Known
from tilewright.frontends.tlx.options import LayoutConvention
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType

_PLAIN: Final = (syntax.Integers, syntax.Word, syntax.Local)


class Operands:
    """What a call passes, taken from the first to the last."""

    def __init__(self, f: FunctionImport, call: syntax.Call, operation: str) -> None:
        self.f = f
        self.call = call
        self.operation = operation
        self.arguments = call.arguments

    def counted(self, least: int, most: int | None = None) -> None:
        """Raise `Broken` unless there are as many as the operation takes."""
        found = len(self.arguments)
        if not least <= found <= (most or least):
            wanted = str(least) if most in (None, least) else f"{least} to {most}"
            noun = "operand" if wanted == "1" else "operands"
            message = f"{self.operation} takes {wanted} {noun}; {found} given"
            raise self.f.refuse(OPERANDS, self.call, message)

    def tensor(self, index: int) -> Value:
        """A token, or a value of a target type."""
        return self.f.tensor(self.arguments[index].operand, index + 1, self.operation)

    def numbers(self, index: int, what: str) -> tuple[int, ...]:
        """A constant vector of integers."""
        operand = self.arguments[index].operand
        vector = operand.type
        if not isinstance(vector, llvm.VectorType) or not isinstance(vector.element, llvm.IntegerType):
            message = f"{what} of {self.operation} is a vector of integers, not {vector}"
            raise self.f.refuse(OPERANDS, operand, message)
        if vector.count > MOST_DIMENSIONS:
            message = f"{what} of {vector.count:,} entries; the limit of a rank is {MOST_DIMENSIONS}"
            raise self.f.refuse(LIMIT, operand, message)
        found = self._constant(operand, what)
        assert isinstance(found, tuple)
        return found

    def number(self, index: int, what: str) -> int:
        """A constant integer."""
        operand = self.arguments[index].operand
        if not isinstance(operand.type, llvm.IntegerType):
            message = f"{what} of {self.operation} is an integer, not {operand.type}"
            raise self.f.refuse(OPERANDS, operand, message)
        found = self._constant(operand, what)
        assert isinstance(found, int)
        return found

    def _constant(self, operand: syntax.Operand, what: str) -> Known:
        found = self.f.constants.value_of(operand)
        if found is None:
            message = f"{what} of {self.operation} must be a constant after folding"
            finding = self.f.error(NOT_CONSTANT, operand, message)
            if isinstance(operand.value, syntax.Local):
                definition = self.f.uses.definitions.get(operand.value.name)
                if definition is not None:
                    finding.label(self.f.range_of(definition), "its value comes from here")
            raise Broken
        return found

    def layout(self, index: int, what: str) -> tuple[int, ...]:
        """A layout in memory order."""
        found = self.numbers(index, what)
        return found[::-1] if self.f.options.layout_convention is LayoutConvention.XLA else found

    def type(self, element: ScalarType, first: int) -> TensorType:
        """Shape, layout and padding from an operand on."""
        said = [argument.operand for argument in self.arguments[first : first + 3]]
        if not all(isinstance(operand.value, _PLAIN) for operand in said):
            return self.f.the(self._type(element, first))
        # what is written alike is one type throughout a function
        key = element, *((operand.type, operand.value) for operand in said)
        known = self.f.said_types.get(key)
        if known is None:
            known = self.f.said_types[key] = self.f.the(self._type(element, first))
        return known

    def _type(self, element: ScalarType, first: int) -> TensorType:
        shape = self.numbers(first, "shape")
        layout = self.layout(first + 1, "layout")
        padding = self.numbers(first + 2, "padding")
        if self.f.options.layout_convention is LayoutConvention.XLA and sorted(layout) == list(range(len(shape))):
            shape = tuple(shape[d] for d in layout)
            padding = tuple(padding[d] for d in layout) if len(padding) == len(shape) else padding
        self.f.bounded(len(shape), shape, element, self.arguments[first].operand)
        return TensorType(element, shape, layout, padding)
