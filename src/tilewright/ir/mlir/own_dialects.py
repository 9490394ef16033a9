"""Modules of the shared dialects as generic MLIR for stock `mlir-opt --allow-unregistered-dialect`, and back.

Every operation becomes one of the unregistered dialect `tw`, so that MLIR's own dialects do not claim its name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from tilewright.diagnostics import Report, Source
from tilewright.ir.core import Operation
from tilewright.ir.mlir.codes import ILLEGAL
from tilewright.ir.mlir.operations import MODULE
from tilewright.ir.mlir.printer import print_renamed
from tilewright.ir.mlir.reader import FileReader
from tilewright.ir.mlir.spelling import Piece
from tilewright.ir.type_parser import TypeSyntaxError, parse_type
from tilewright.ir.types import Type

_PREFIX: Final = "tw."
_TYPE: Final = "!tw.type<"


def _foreign_name(name: str) -> str:
    return name if name == MODULE else _PREFIX + name


def print_mlir(op: Operation) -> str:
    """Generic MLIR text of an operation and all it contains."""
    return print_renamed(op, lambda op: _foreign_name(op.name))


def read_mlir(source: Source, report: Report, operations: Mapping[str, type[Operation]]) -> Operation | None:
    """The module that `print_mlir` printed; None or a part of it if `report` has errors.

    `operations` are those that it may hold: `dialects.operation_classes()`, as a rule.
    """
    dialects = {_foreign_name(name): cls for name, cls in operations.items()}
    file = _Reader(source, report, dialects=dialects).file()
    return None if file is None else file.module


class _Reader(FileReader):
    """Knows the types of the shared dialects."""

    def dialect_type(self, parts: tuple[Piece, ...], start: int) -> Type:
        text = cast("str", parts[0])
        if not text.startswith(_TYPE):
            return super().dialect_type(parts, start)
        try:
            return parse_type(text.removeprefix(_TYPE)[1:-2])
        except TypeSyntaxError as error:
            return self.fail(str(error), ILLEGAL, self.range_from(start))
