"""What is known of a value on each lane of the first warp: how much it differs from lane to lane.

A value is a number that all lanes share, known or not, and an offset for each lane (and register of a fragment). That
goes through sums and multiples, and where the shared number is known through all arithmetic. What else differs between
lanes, loaded data for instance, is not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import lane, scf, team
from tilewright.dialects.arith import Add, Cast, Constant, Mul, Sub
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.effects import EffectKind
from tilewright.ir.evaluation import evaluated
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import FragmentType, ScalarType
from tilewright.numerics.arrays import dtype_of
from tilewright.numerics.formats import IntegerFormat
from tilewright.numerics.later import Array, np
from tilewright.transforms.schedule.spreading import Teams

WARP: Final = 32
_SAME: Final = (EffectKind.READ, EffectKind.ALLOCATE)
"""What gives all lanes the same if they ask for the same."""


class LaneValue(Struct, frozen=True):
    """Offsets [lane] or [lane, register] from what all lanes share, which is 0 if the value is `exact`."""

    offsets: Array
    exact: bool

    @property
    def is_uniform(self) -> bool:
        """Whether all lanes and registers have the same value."""
        return self.offsets.size == 0 or bool((self.offsets == self.offsets.flat[0]).all())

    def is_same_as(self, other: LaneValue) -> bool:
        """Whether both differ alike from lane to lane."""
        if self.offsets.shape != other.offsets.shape:
            return False
        return LaneValue(self.offsets - other.offsets, False).is_uniform


class LaneValues(Struct):
    """The values of a kernel; None is what differs in ways that are not known."""

    teams: Teams
    known: dict[Value, LaneValue | None] = field(default_factory=dict[Value, LaneValue | None])

    @property
    def lanes(self) -> int:
        """Threads of the first warp."""
        return min(WARP, self.teams.threads)

    def of(self, value: Value) -> LaneValue | None:
        """What is known of a value."""
        if value not in self.known:
            # kernels are deep: what a value is made of comes first
            for each in _inputs_first(value, self.known):
                if each not in self.known:
                    self.known[each] = self._found(each)
        return self.known[value]

    def _found(self, value: Value) -> LaneValue | None:
        op = value.defining_op
        if isinstance(value, BlockArgument):
            return self._argument(value)
        match op:
            case team.SubgroupLocalId():
                return LaneValue(np.arange(self.lanes) % self.teams.lanes, True)
            case team.SubgroupLinearId():
                return LaneValue(np.arange(self.lanes) // self.teams.lanes, True)
            case lane.Elect():
                return LaneValue(np.arange(self.lanes) % self.teams.lanes == 0, True)
            case lane.All():
                return self._uniform(value)
            case Constant() if isinstance(op.value, bool | int):
                return LaneValue(np.full(self._shape(value), int(op.value)), True)
            case lane.Numbers():
                return LaneValue(np.broadcast_to(np.array(op.values), self._shape(value)), True)
            case lane.Fill():
                return self._filled(op)
            case lane.Pick():
                return self._picked(op)
            case lane.Item():
                return self._item(op)
            case scf.If():
                return self._joined(op, value)
            case None:
                return None
            case _:
                return self._computed(op, value)

    def _shape(self, value: Value) -> tuple[int, ...]:
        return (self.lanes, value.type.size) if isinstance(value.type, FragmentType) else (self.lanes,)

    def _uniform(self, value: Value) -> LaneValue:
        return LaneValue(np.zeros(self._shape(value), np.int64), False)

    def _argument(self, value: BlockArgument) -> LaneValue | None:
        """The index of a loop differs as its lower bound does; what loops carry is known if it is the same for all."""
        owner = value.block.parent_op
        if isinstance(owner, scf.For) and value is owner.index:
            lower, step = self.of(owner.lower), None if owner.step is None else self.of(owner.step)
            if lower is None or (owner.step is not None and (step is None or not step.is_uniform)):
                return None
            return LaneValue(lower.offsets, False)
        if isinstance(owner, scf.For | scf.While):
            return self._carried(owner, value)
        return self._uniform(value)

    def _carried(self, loop: scf.For | scf.While, value: BlockArgument) -> LaneValue | None:
        """As in front of the loop, if an iteration leaves it so."""
        number = loop.carried.index(value)
        first = self.of(loop.inits[number])
        if first is None:
            return None
        before = dict(self.known)
        self.known[value] = assumed = LaneValue(first.offsets, False)
        given = scf.yielded(loop.body)[isinstance(loop, scf.While) :][number]
        after = self.of(given)
        if after is not None and after.is_same_as(assumed):
            return assumed
        self.known.clear()
        self.known.update(before)
        return None

    def _filled(self, op: lane.Fill) -> LaneValue | None:
        scalar = self.of(op.value)
        if scalar is None:
            return None
        return LaneValue(np.broadcast_to(scalar.offsets[:, None], self._shape(op.out)), scalar.exact)

    def _picked(self, op: lane.Pick) -> LaneValue | None:
        parts = self._all(op.fragments)
        if parts is None:
            return None
        offsets = np.concatenate([part.offsets for part in parts], axis=1)[:, list(op.registers)]
        return LaneValue(offsets, all(part.exact for part in parts)) if _alike(parts) else None

    def _item(self, op: lane.Item) -> LaneValue | None:
        fragment = self.of(op.fragment)
        return None if fragment is None else LaneValue(fragment.offsets[:, op.register], fragment.exact)

    def _joined(self, op: scf.If, value: Value) -> LaneValue | None:
        """What both branches give, if that differs alike and all lanes go the same way or it is known."""
        number = next(k for k, out in enumerate(op.outs) if out is value)
        parts = self._all([scf.yielded(region)[number] for region in op.regions])
        condition = self.of(op.condition)
        if parts is None or condition is None or not condition.is_uniform or not parts[0].is_same_as(parts[-1]):
            return None
        return LaneValue(parts[0].offsets, False)

    def _all(self, values: Sequence[Value]) -> list[LaneValue] | None:
        found = [known for value in values if (known := self.of(value)) is not None]
        return found if len(found) == len(values) else None

    def _computed(self, op: Operation, value: Value) -> LaneValue | None:
        parts = self._all(op.operands) if _is_function(op) else None
        if parts is None:
            return None
        if parts and all(part.exact for part in parts) and (found := self._evaluated(op, parts)) is not None:
            return found
        if all(part.is_uniform for part in parts):
            return self._uniform(value)
        return _linear(op, parts)

    def _evaluated(self, op: Operation, parts: Sequence[LaneValue]) -> LaneValue | None:
        types = [value.type for value in (*op.operands, *op.results)]
        formats = [type_.format for type_ in types if isinstance(type_, ScalarType | FragmentType)]
        integers = [layout for layout in formats if isinstance(layout, IntegerFormat)]
        if op.evaluate is None or len(integers) != len(op.operands) + 1:
            return None
        arrays = [part.offsets.astype(dtype_of(layout)) for part, layout in zip(parts, integers, strict=False)]
        return LaneValue(evaluated(op, *arrays).astype(np.int64), True)


def _is_function(op: Operation) -> bool:
    """Whether lanes with the same operands get the same result, and registers one each of theirs."""
    if op.regions or len(op.results) != 1:
        return False
    if isinstance(op.results[0].type, FragmentType):
        return isinstance(op, Elementwise)
    effects = op.effects() if PURE not in op.definition.traits else ()
    return effects is not None and all(effect.kind in _SAME for effect in effects)


def _linear(op: Operation, parts: Sequence[LaneValue]) -> LaneValue | None:
    """Sums, differences and multiples of what is partly known."""
    offsets, exact = [part.offsets for part in parts], all(part.exact for part in parts)
    match op:
        case Add():
            return LaneValue(offsets[0] + offsets[1], exact)
        case Sub():
            return LaneValue(offsets[0] - offsets[1], exact)
        case Mul():
            for factor, other in ((0, 1), (1, 0)):
                if parts[factor].exact and parts[factor].is_uniform:
                    return LaneValue(offsets[other] * offsets[factor], exact)
            return None
        case Cast():
            return parts[0]
        case _:
            return None


def _alike(parts: Sequence[LaneValue]) -> bool:
    """Whether fragments share what all lanes share: registers of several are offsets from one number."""
    return len(parts) == 1 or all(part.exact for part in parts)


def _inputs_first(value: Value, known: dict[Value, LaneValue | None]) -> list[Value]:
    """A value behind the results of operations that it is computed from, as far as these have no regions."""
    order: list[Value] = []
    seen: set[Value] = set()
    work = [(value, False)]
    while work:
        each, is_ready = work.pop()
        if is_ready:
            order.append(each)
        elif each not in seen and each not in known:
            seen.add(each)
            work.append((each, True))
            op = each.defining_op
            if op is not None and not op.regions:
                work += [(operand, False) for operand in op.operands]
    return order
