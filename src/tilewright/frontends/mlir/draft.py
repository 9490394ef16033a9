"""An operation in its custom form while it is being read."""

from __future__ import annotations

from msgspec import field

from tilewright.dialects.mlir.base import MlirOperation
from tilewright.ir.mlir.operation_text import OperationText
from tilewright.ir.mlir.value_text import Use
from tilewright.ir.types import Type


class Draft(OperationText):
    """`operands` and their `types` by the names of the declaration, so far as they are known; `results` likewise."""

    cls: type[MlirOperation] = MlirOperation
    operands: dict[str, list[Use]] = field(default_factory=dict[str, list[Use]])
    types: dict[str, list[Type]] = field(default_factory=dict[str, list[Type]])
    results: list[Type] | None = None

    def add(self, key: str, uses: list[Use], type_: Type | None = None) -> None:
        """Operands, all of one type if that is known."""
        self.operands.setdefault(key, []).extend(uses)
        if type_ is not None:
            self.types.setdefault(key, []).extend(type_ for _ in uses)
