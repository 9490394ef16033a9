"""MLIR's func: functions, calls, returns."""

from __future__ import annotations

from typing import cast

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import MlirOperation, fail
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import (
    ISOLATED,
    TERMINATOR,
    OpResult,
    Region,
    Value,
    attribute,
    operands,
    optional_attribute,
    region,
    results,
)
from tilewright.ir.mlir.attributes import SymbolReference
from tilewright.ir.mlir.types import FunctionType


class Func(MlirOperation, name="func.func", traits=(ISOLATED,), assembly="<function>"):
    """A function; without blocks it is declared only. Those that return nothing and are not private are kernels."""

    sym_name: str = attribute(str)
    function_type: FunctionType = attribute(FunctionType)
    body: Region = region()
    sym_visibility: str | None = optional_attribute(str, default=None)
    arg_attrs: tuple[Attribute, ...] = optional_attribute(tuple, default=())
    res_attrs: tuple[Attribute, ...] = optional_attribute(tuple, default=())

    @property
    def is_declaration(self) -> bool:
        """Whether there is no body."""
        return not self.body.blocks

    @property
    def is_private(self) -> bool:
        """Whether only the module itself may call it."""
        return self.sym_visibility in ("private", "nested")

    def attributes_of(self, index: int) -> dict[str, Attribute]:
        """The attributes of an argument."""
        found = self.arg_attrs[index] if index < len(self.arg_attrs) else None
        return cast("dict[str, Attribute]", found) if isinstance(found, dict) else {}

    def verify(self, report: Report) -> None:
        if self.is_declaration:
            return
        found = tuple(argument.type for argument in self.body.entry.arguments)
        if found != self.function_type.inputs:
            said, wanted = ", ".join(map(str, found)), ", ".join(map(str, self.function_type.inputs))
            fail(self, report, f"the body takes ({said}), the function ({wanted})")


class Return(MlirOperation, name="func.return", traits=(TERMINATOR,), assembly="<attributes> [? $values : @values ]?"):
    """Ends a function."""

    values: list[Value] = operands()

    def verify(self, report: Report) -> None:
        function = self.parent_op
        if not isinstance(function, Func):
            fail(self, report, "only functions return")
            return
        signature = function.attributes.get("function_type")
        if not isinstance(signature, FunctionType):
            return  # what is wrong with the function is reported there
        wanted, found = signature.results, tuple(v.type for v in self.values)
        if wanted != found:
            said = f"the function returns ({', '.join(map(str, wanted))}), not ({', '.join(map(str, found))})"
            fail(self, report, said)


class Call(MlirOperation, name="func.call", assembly="<callee> '(' $values ')' <attributes> : <signature>"):
    """Calls a function of the module."""

    values: list[Value] = operands()
    callee: SymbolReference = attribute(SymbolReference)
    outs: list[OpResult] = results()
