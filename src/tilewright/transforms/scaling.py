"""`result := alpha product + beta target` on tiles and scalars, with the zero rules of BLAS (language reference D17).

A constant beta of zero does not read the target; run-time zeros select, so NaNs behind them have no influence.
"""

from __future__ import annotations

from msgspec import Struct

from tilewright.dialects import memref, tile
from tilewright.dialects.arith import Add, Mul
from tilewright.dialects.builder import Builder
from tilewright.dialects.memref import AtomicKind, Scope, Semantics
from tilewright.ir.core import Value
from tilewright.ir.types import AddressSpace, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.tiling import Box


class Factor(Struct, frozen=True):
    """A scalar in the accumulation type. `zero_test` is a bool value if zero must be told apart at run time."""

    value: Value
    zero_test: Value | None

    @property
    def is_zero(self) -> bool:
        """Whether it is the constant 0."""
        return emit.constant_of(self.value) == 0

    @property
    def is_one(self) -> bool:
        """Whether it is the constant 1."""
        return emit.constant_of(self.value) == 1

    def times(self, build: Builder, x: Value) -> Value:
        """Factor times a tile or scalar in the accumulation type, without regard to the zero rule."""
        if self.is_one:
            return x
        return build(Mul(emit.shaped(build, self.value, x.type), x)).out


def factor(build: Builder, value: Value, accumulator: ScalarType) -> Factor:
    """Convert alpha or beta once, outside of all loops."""
    known = emit.constant_of(value)
    if known is not None:
        return Factor(build.constant(emit.literal(known, accumulator), accumulator), None)
    converted = emit.cast(build, value, accumulator)
    test = None if accumulator.is_integer else emit.equals_zero(build, converted)
    return Factor(converted, test)


class Update(Struct, frozen=True):
    """The written operand of a collective with its factors."""

    alpha: Factor
    beta: Factor
    target: Value
    atomic: bool

    @property
    def element(self) -> ScalarType:
        """Element type of the target."""
        return emit.memref_type(self.target).element

    @property
    def accumulator(self) -> ScalarType:
        """Type of all arithmetic."""
        return self.element.accumulator

    @property
    def is_sum(self) -> bool:
        """Whether the target's old value may simply be the first summand: alpha is 1 and nothing is atomic."""
        return self.alpha.is_one and not self.atomic and not self.beta.is_zero and self.beta.zero_test is None

    def old(self, build: Builder, box: Box) -> Value:
        """beta times the target's old value; only where beta needs no zero test."""
        return self.beta.times(build, emit.cast(build, box.load(build, self.target), self.accumulator))

    def combined(self, build: Builder, product: Value, old: Value | None) -> Value:
        """`alpha product + beta old` under the zero rules; `old` is absent where beta is the constant 0."""
        scaled = self.alpha.times(build, product)
        if self.alpha.zero_test is not None:
            scaled = emit.select(build, self.alpha.zero_test, build.zero(scaled.type), scaled)
        if old is None:
            return scaled
        total = build(Add(scaled, self.beta.times(build, old))).out
        if self.beta.zero_test is not None:
            total = emit.select(build, self.beta.zero_test, scaled, total)
        return total

    def finish(self, build: Builder, product: Value, box: Box) -> None:
        """Scale a finished product tile in the accumulation type and write it."""
        if self.atomic:
            self._finish_atomic(build, product, box)
            return
        box.store(build, self.finished(build, product, box), self.target)

    def finished(self, build: Builder, product: Value, box: Box) -> Value:
        """What a finished product tile makes of the target's at its place, in the target's type."""
        old = None
        if not self.beta.is_zero:
            old = emit.cast(build, box.load(build, self.target), self.accumulator)
        return emit.cast(build, self.combined(build, product, old), self.element)

    def _finish_atomic(self, build: Builder, product: Value, box: Box) -> None:
        value = emit.cast(build, self.combined(build, product, None), self.element)
        scope, relaxed = self._scope(), Semantics.RELAXED
        if self.beta.is_zero:
            build(tile.AtomicStore(value, self.target, box.indices, box.check, scope, relaxed))
        else:
            build(tile.AtomicRmw(value, self.target, box.indices, AtomicKind.ADD, box.check, scope, relaxed))

    def finish_scalar(self, build: Builder, product: Value) -> None:
        """The same for a scalar product and a target of order 0."""
        if self.atomic:
            value = emit.cast(build, self.combined(build, product, None), self.element)
            scope = self._scope()
            if self.beta.is_zero:
                build(memref.AtomicStore(value, self.target, [], scope))
            else:
                build(memref.AtomicRmw(value, self.target, [], AtomicKind.ADD, scope))
            return
        old = None
        if not self.beta.is_zero:
            old = emit.cast(build, build(memref.Load(self.target, [])).out, self.accumulator)
        build(memref.Store(emit.cast(build, self.combined(build, product, old), self.element), self.target, []))

    def _scope(self) -> Scope:
        local = emit.memref_type(self.target).space is AddressSpace.LOCAL
        return Scope.WORK_GROUP if local else Scope.DEVICE


def update(build: Builder, alpha: Value, beta: Value, target: Value, atomic: bool) -> Update:
    """Prepare the factors of a collective in front of its loops."""
    accumulator = emit.memref_type(target).element.accumulator
    return Update(factor(build, alpha, accumulator), factor(build, beta, accumulator), target, atomic)
