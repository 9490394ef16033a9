"""Tensors in memory, and between tensors and bare vectors.

An address counts bytes. Element (m0, m1, ..) in memory order lies at `address + sum m_i d_i` elements, d the distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TlxOperation, tensor_of
from tilewright.dialects.tlx.types import TENSOR, VECTOR, surely_collide
from tilewright.ir.core import Operation
from tilewright.ir.definition import PURE, Value, attribute, operand, operands, optional_attribute, result
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import ADDRESS, INDEX_ONLY, Type, mixed


class MemoryAccess(TlxOperation):
    """Accesses the elements of a tensor that are data; nothing is read for padding, and nothing written.

    `distances` has one entry for each memory position, None where one of `dynamic` stands for it.
    """

    __slots__ = ()

    address: Value
    distances: tuple[int | None, ...]
    dynamic: list[Value]

    @property
    def tensor(self) -> Value:
        """What is read into or written."""
        raise NotImplementedError

    @property
    def mixed_distances(self) -> list[int | Value]:
        """Distances in elements, known or not."""
        return mixed(self.distances, self.dynamic)

    def verify(self, report: Report) -> None:
        type_ = tensor_of(self.tensor)
        if not type_.is_sound or not rules.lengths(self, report, type_.rank, {"distances": self.distances}):
            return
        unknown = self.distances.count(None)
        if unknown != len(self.dynamic):
            message = f"{len(self.dynamic)} operands for {unknown} distances that are not constant"
            rules.error(self, report, "TLX301", "distances", message)
        for distance in self.distances:
            if distance is not None and distance < 1:
                rules.error(self, report, "TLX318", "distances", f"a distance of {distance} elements is less than 1")


class Load(MemoryAccess, name="tlx.load", assembly="$address @extents @layout @padding distances"):
    """Reads a tensor."""

    address: Value = operand(ADDRESS)
    dynamic: list[Value] = operands(INDEX_ONLY)
    distances: tuple[int | None, ...] = attribute(tuple)
    out: Value = result(TENSOR)

    @property
    def tensor(self) -> Value:
        return self.out

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.READ)]

    def verify(self, report: Report) -> None:
        if rules.sound(self, report, tensor_of(self.out)):
            super().verify(report)


class Store(MemoryAccess, name="tlx.store", assembly="$address $input distances"):
    """Writes a tensor. No two of its elements share an address."""

    address: Value = operand(ADDRESS)
    input: Value = operand(TENSOR)
    dynamic: list[Value] = operands(INDEX_ONLY)
    distances: tuple[int | None, ...] = attribute(tuple)

    @property
    def tensor(self) -> Value:
        return self.input

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.WRITE)]

    def verify(self, report: Report) -> None:
        errors = report.errors
        super().verify(report)
        type_ = tensor_of(self.input)
        if report.errors > errors or not type_.is_sound:
            return
        found = surely_collide(type_.valid, self.distances)
        if found is not None:
            i, j = found
            steps = f"{self.distances[i]} and {self.distances[j]} along positions {i} and {j}"
            message = f"two elements of this store share one address: distances {steps}"
            rules.error(self, report, "TLX318", "distances", message)


class TypeInfo(
    TlxOperation,
    name="tlx.typeinfo",
    traits=(PURE,),
    assembly="$vector @extents @layout @padding",
):
    """The stored elements as a tensor: nothing is computed.

    `resident` asks to keep it where products accumulate; a hint, and `totensor` in the text.
    """

    vector: Value = operand(VECTOR)
    resident: bool = optional_attribute(bool, default=False)
    out: Value = result(TENSOR)

    def evaluate(self, vector: Any) -> Any:
        return vector.reshape(tensor_of(self.out).extents)

    def verify(self, report: Report) -> None:
        type_, vector = tensor_of(self.out), rules.vector_of(self.vector)
        if not rules.sound(self, report, type_):
            return
        if vector.element is not type_.element:
            rules.error(self, report, "TLX310", "type", f"{vector} holds no {type_.element} elements")
        elif vector.size != type_.size:
            said = f"{rules.spelled(type_.extents)} = {type_.size} elements"
            if isinstance(self.vector.defining_op, ToVector):
                message = f"reinterpretation needs the same element count: {vector.size} elements are not {said}"
                rules.error(self, report, "TLX319", "type", message)
            else:
                message = f"<{vector.size} x {vector.element}> cannot hold {said}"
                rules.error(self, report, "TLX305", "type", message)


def _flat(op: Operation) -> Type:
    return tensor_of(op.operands[0]).flat


class ToVector(TlxOperation, name="tlx.tovector", traits=(PURE,), assembly="$input"):
    """The stored elements of a tensor as a bare vector, in the order in which they are stored."""

    input: Value = operand(TENSOR)
    out: Value = result(VECTOR, infer=_flat)

    def evaluate(self, stored: Any) -> Any:
        return stored.reshape(-1)

    def verify(self, report: Report) -> None:
        wanted = tensor_of(self.input).flat
        if self.out.type != wanted:
            rules.error(self, report, "TLX305", "type", f"the result is {wanted}, not {self.out.type}")
