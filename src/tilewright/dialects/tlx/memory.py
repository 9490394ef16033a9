"""Tensors in memory, and between tensors and bare vectors.

An address counts bytes. Element (m0, m1, ..) in memory order lies at `address + sum m_i d_i` elements, d the distances.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tilewright.diagnostics import Report
from tilewright.dialects.tlx import rules
from tilewright.dialects.tlx.base import TlxOperation, tensor_of
from tilewright.dialects.tlx.types import TENSOR, VECTOR, TensorType, surely_collide
from tilewright.ir.core import Operation
from tilewright.ir.definition import PURE, Value, attribute, operand, operands, optional_attribute, result
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.types import ADDRESS, INDEX_ONLY, Type, mixed


class Load(TlxOperation, name="tlx.load", assembly="$address @extents @layout @padding distances"):
    """Reads the elements of a tensor that are data.

    `distances` has one entry for each memory position, None where one of `dynamic` stands for it.
    """

    address: Value = operand(ADDRESS)
    dynamic: list[Value] = operands(INDEX_ONLY)
    distances: tuple[int | None, ...] = attribute(tuple)
    out: Value = result(TENSOR)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.READ)]

    @property
    def mixed_distances(self) -> list[int | Value]:
        """Distances in elements, known or not."""
        return mixed(self.distances, self.dynamic)

    def verify(self, report: Report) -> None:
        type_ = tensor_of(self.out)
        if rules.sound(self, report, type_):
            _distances(self, report, type_, self.distances, self.dynamic)


class Store(TlxOperation, name="tlx.store", assembly="$address $input distances"):
    """Writes the elements of a tensor that are data, no two of which share an address; `distances` as of a load."""

    address: Value = operand(ADDRESS)
    input: Value = operand(TENSOR)
    dynamic: list[Value] = operands(INDEX_ONLY)
    distances: tuple[int | None, ...] = attribute(tuple)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.WRITE)]

    @property
    def mixed_distances(self) -> list[int | Value]:
        """Distances in elements, known or not."""
        return mixed(self.distances, self.dynamic)

    def verify(self, report: Report) -> None:
        type_ = tensor_of(self.input)
        if not (type_.is_sound and _distances(self, report, type_, self.distances, self.dynamic)):
            return
        found = surely_collide(type_.valid, self.distances)
        if found is not None:
            i, j = found
            steps = f"{self.distances[i]} and {self.distances[j]} along positions {i} and {j}"
            message = f"two elements of this store share one address: distances {steps}"
            rules.error(self, report, "TLX318", "distances", message)


def _distances(
    op: TlxOperation,
    report: Report,
    type_: TensorType,
    distances: Sequence[int | None],
    dynamic: Sequence[Value],
) -> bool:
    """One for each memory position, at least 1, and an operand for each that is not constant."""
    if not rules.lengths(op, report, type_.rank, {"distances": distances}):
        return False
    fits, unknown = True, distances.count(None)
    if unknown != len(dynamic):
        message = f"{len(dynamic)} operands for {unknown} distances that are not constant"
        rules.error(op, report, "TLX301", "distances", message)
        fits = False
    for distance in distances:
        if distance is not None and distance < 1:
            rules.error(op, report, "TLX318", "distances", f"a distance of {distance} elements is less than 1")
            fits = False
    return fits


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
