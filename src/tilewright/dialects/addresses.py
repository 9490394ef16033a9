"""Memory at computed addresses: what languages with pointers need of `memref` and `tile`.

An address is an `i64` that counts bytes, so pointer arithmetic is that of `arith` and conversions between pointers and
integers are nothing. Accesses name no memref: they may touch any global memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tilewright.diagnostics import Report
from tilewright.dialects import tile_rules
from tilewright.dialects.memref import Scope, Semantics
from tilewright.ir.definition import (
    PURE,
    Operation,
    Value,
    attribute,
    operand,
    operands,
    optional_attribute,
    optional_operand,
    result,
)
from tilewright.ir.effects import Effect, EffectKind
from tilewright.ir.interfaces import AccessedAddresses, AccessesAddresses
from tilewright.ir.types import (
    ADDRESS,
    BOOL,
    I64,
    INDEX_ONLY,
    MEMREF,
    POINTER,
    TILE_OR_FRAGMENT,
    MemrefType,
    mixed,
    with_element,
)
from tilewright.ir.types import Type as IrType
from tilewright.numerics.updates import Update


def _address(op: Operation) -> IrType:
    return I64


class AddressOf(Operation, name="memref.address", traits=(PURE,)):
    """The address that a pointer parameter holds."""

    pointer: Value = operand(POINTER)
    out: Value = result(infer=_address)


class Reach(Operation, name="memref.reach", traits=(PURE,)):
    """How many bytes may be accessed from the address of a pointer parameter on: those of the array that a launch gave.

    Negative for an address that came without an array, of which nobody knows.
    """

    pointer: Value = operand(POINTER)
    out: Value = result(infer=_address)


class FromAddress(Operation, name="memref.from_address", traits=(PURE,)):
    """Global memory from an address on as a memref; `sizes` and `strides` are those that its type leaves open."""

    address: Value = operand(ADDRESS)
    sizes: list[Value] = operands(INDEX_ONLY)
    strides: list[Value] = operands(INDEX_ONLY)
    out: Value = result(MEMREF)

    @property
    def type(self) -> MemrefType:
        """The type of the memref."""
        type_ = self.out.type
        assert isinstance(type_, MemrefType)
        return type_

    @property
    def mixed_layout(self) -> tuple[list[int | Value], list[int | Value]]:
        """Extents and strides, known or not."""
        return mixed(self.type.shape, self.sizes), mixed(self.type.strides, self.strides)

    def verify(self, report: Report) -> None:
        type_ = self.type
        if len(self.sizes) != type_.shape.count(None) or len(self.strides) != type_.strides.count(None):
            tile_rules.fail(self, report, f"one operand for each `?` of {type_} is needed")


class Gather(AccessesAddresses, name="tile.gather", traits=()):
    """Each element is read from its own address; where `mask` is false nothing is read and the element is 0.

    With `semantics` every element is read atomically.
    """

    addresses: Value = operand(TILE_OR_FRAGMENT)
    mask: Value | None = optional_operand(TILE_OR_FRAGMENT, default=None)
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics | None = optional_attribute(Semantics, default=None)
    out: Value = result(TILE_OR_FRAGMENT)

    def elements(self) -> AccessedAddresses:
        return AccessedAddresses(self.addresses, self.mask, self.out)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.READ if self.semantics is None else EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        _gather_or_scatter(self, report, self.addresses, self.mask, self.out)


class Scatter(AccessesAddresses, name="tile.scatter", traits=()):
    """Each element is written to its own address, unless `mask` is false there.

    Of elements for one address any may win. With `semantics` every element is written atomically.
    """

    value: Value = operand(TILE_OR_FRAGMENT)
    addresses: Value = operand(TILE_OR_FRAGMENT)
    mask: Value | None = optional_operand(TILE_OR_FRAGMENT, default=None)
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics | None = optional_attribute(Semantics, default=None)

    def elements(self) -> AccessedAddresses:
        return AccessedAddresses(self.addresses, self.mask, self.value)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.WRITE if self.semantics is None else EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        _gather_or_scatter(self, report, self.addresses, self.mask, self.value)


class UpdateKind(Enum):
    """Atomic updates of the element at an address; `umax` and `umin` read integers as unsigned."""

    ADD = "add"
    AND = "and"
    OR = "or"
    XOR = "xor"
    MAX = "max"
    MIN = "min"
    UMAX = "umax"
    UMIN = "umin"
    EXCHANGE = "xchg"

    @property
    def update(self) -> Update:
        """What becomes of the number in memory."""
        return Update(self.value)


class ScatterUpdate(AccessesAddresses, name="tile.scatter_update", traits=()):
    """Updates the element at each address atomically, unless `mask` is false there; the result holds the old values.

    Elements are updated one after another, in no given order. Where the mask is false the result is 0.
    """

    value: Value = operand(TILE_OR_FRAGMENT, var="T")
    addresses: Value = operand(TILE_OR_FRAGMENT)
    kind: UpdateKind = attribute(UpdateKind)
    mask: Value | None = optional_operand(TILE_OR_FRAGMENT, default=None)
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(var="T")

    def elements(self) -> AccessedAddresses:
        return AccessedAddresses(self.addresses, self.mask, self.value)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        _gather_or_scatter(self, report, self.addresses, self.mask, self.value)


class ScatterExchange(AccessesAddresses, name="tile.scatter_exchange", traits=()):
    """Compare and swap: stores `value` at each address whose element has the bits of `expected`; the old values.

    Where `mask` is false nothing happens and the result is `expected`.
    """

    value: Value = operand(TILE_OR_FRAGMENT, var="T")
    expected: Value = operand(TILE_OR_FRAGMENT, var="T")
    addresses: Value = operand(TILE_OR_FRAGMENT)
    mask: Value | None = optional_operand(TILE_OR_FRAGMENT, default=None)
    scope: Scope = optional_attribute(Scope, default=Scope.DEVICE)
    semantics: Semantics = optional_attribute(Semantics, default=Semantics.RELAXED)
    out: Value = result(var="T")

    def elements(self) -> AccessedAddresses:
        return AccessedAddresses(self.addresses, self.mask, self.value)

    def effects(self) -> Sequence[Effect]:
        return [Effect(EffectKind.UPDATE)]

    def verify(self, report: Report) -> None:
        _gather_or_scatter(self, report, self.addresses, self.mask, self.value)


def _gather_or_scatter(op: Operation, report: Report, addresses: Value, mask: Value | None, value: Value) -> None:
    """Addresses and mask have the shape of the elements."""
    places, kept = with_element(value.type, I64), with_element(value.type, BOOL)
    if addresses.type != places:
        tile_rules.fail(op, report, f"{value.type} needs addresses of type {places}")
    if mask is not None and mask.type != kept:
        tile_rules.fail(op, report, f"{value.type} needs a mask of type {kept}")
