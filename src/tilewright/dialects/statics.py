"""Memory that a program brings along: globals, which live as long as it is loaded, and scratch memory at an address."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.tile_rules import fail
from tilewright.ir.core import Operation as CoreOperation
from tilewright.ir.definition import PURE, Operation, Value, attribute, optional_attribute, result
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import I64
from tilewright.ir.types import Type as IrType


def _address(op: CoreOperation) -> IrType:
    return I64


class Global(Operation, name="builtin.global"):
    """Static global memory with its first contents, as hexadecimal digits of its bytes.

    Nobody writes a `constant` one.
    """

    sym_name: str = attribute(str)
    data: str = attribute(str)
    alignment: int = optional_attribute(int, default=16)
    constant: bool = optional_attribute(bool, default=False)

    def verify(self, report: Report) -> None:
        try:
            bytes.fromhex(self.data)
        except ValueError:
            fail(self, report, "the data are not bytes in hexadecimal digits")


class GlobalAddress(Operation, name="memref.global_address", traits=(PURE,)):
    """The address of a global of the module."""

    symbol: str = attribute(str)
    out: Value = result(infer=_address)

    def verify(self, report: Report) -> None:
        if global_of(self) is None:
            fail(self, report, f"the module has no global {self.symbol!r}")


class Reserve(Operation, name="memref.reserve", traits=()):
    """The address of `size` bytes of undefined content, private to the work-group, until the region around ends."""

    size: int = attribute(int)
    alignment: int = attribute(int)
    out: Value = result(infer=_address)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.ALLOCATE, self.results[0])]


def global_of(op: GlobalAddress) -> Global | None:
    """The global that an operation refers to."""
    module: CoreOperation = op
    while (parent := module.parent_op) is not None:
        module = parent
    if not module.regions:
        return None
    found = (item for item in module.regions[0].entry if isinstance(item, Global) and item.sym_name == op.symbol)
    return next(found, None)
