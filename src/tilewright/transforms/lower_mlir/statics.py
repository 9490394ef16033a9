"""Globals of MLIR modules as globals of the program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import statics as shared
from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import memref
from tilewright.ir.mlir.dense import DenseElements
from tilewright.ir.mlir.spelling import UNIT
from tilewright.ir.mlir.types import MemrefType
from tilewright.ir.types import BOOL

_OF_WORK_GROUP: Final = ("3 : i64", "3 : i32", "#gpu.address_space<workgroup>")


class Globals(Struct):
    """Globals by name; those that are used are made once, by `b`."""

    b: Builder
    known: Mapping[str, memref.Global]
    made: dict[str, str] = field(default_factory=dict[str, str])

    def symbol(self, name: str) -> str | None:
        """The name of a global in the program; None if there is none whose contents are known."""
        op = self.known.get(name)
        if op is None or not isinstance(op.initial_value, DenseElements):
            return None
        if name not in self.made:
            self.made[name] = name
            self.b(shared.Global(name, _data(op.initial_value).hex(), alignment=64, constant=op.constant is not None))
        return self.made[name]

    def of_work_group(self, name: str) -> memref.Global | None:
        """The global of a name, if it is shared memory of a work-group, which has no contents when a kernel begins."""
        op = self.known.get(name)
        if op is None or not isinstance(op.type, MemrefType) or str(op.type.space) not in _OF_WORK_GROUP:
            return None
        return op if op.initial_value in (None, UNIT) else None

    def constant(self, value: DenseElements, taken: Iterable[str]) -> str:
        """The name of a global that holds the numbers of a constant."""
        name = next(name for k in count() if (name := f"constant_{k}") not in {*self.known, *self.made, *taken})
        self.made[name] = name
        self.b(shared.Global(name, _data(value).hex(), alignment=64, constant=True))
        return name


def _data(value: DenseElements) -> bytes:
    """The elements as they lie in memory, where truths have a byte each."""
    if value.element is BOOL:
        return bytes(value.number(0 if value.splat else k) for k in range(value.count))
    return value.data * value.count if value.splat else value.data
