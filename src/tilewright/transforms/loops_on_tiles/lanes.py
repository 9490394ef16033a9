"""What a loop does in each iteration, if all of them may be done at once: on elements beside each other in memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import arith, arith_floats, arith_integers, memref, scf
from tilewright.ir.core import Operation, Value
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.types import INDEX, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.aliasing import views_may_overlap
from tilewright.transforms.emit import memref_type, scalar_type
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.loop_nests.nests import Nest, Place, nest_of

SUMS: Final = (arith.Add, arith.Sub, arith.Fma)
EXTREMA: Final = (
    arith.Max,
    arith.Min,
    arith.And,
    arith.Or,
    arith_floats.Maximum,
    arith_floats.Minimum,
    arith_floats.MaximumNumber,
    arith_floats.MinimumNumber,
    arith_integers.UMax,
    arith_integers.UMin,
)
"""Operations of which a value with itself is itself."""
_OTHERS: Final = (arith.Mul, arith.Xor)


class Access(Struct, frozen=True):
    """A load or store. `mode` is that along which iterations access neighbours, None if all access one element."""

    place: Place
    mode: int | None
    op: memref.Load | memref.Store


class Folded(Struct, frozen=True):
    """A value that iterations fold theirs into: `step` computes the new one from the `old` one.

    A loop carries it, or it is an element of memory, which is written by `store`.
    """

    step: Elementwise
    old: Value
    store: Access | None = None


class Lanes(Struct, frozen=True):
    """The operations of an iteration that count, in order, with the accesses among them and what they fold."""

    loop: scf.For
    ops: tuple[Operation, ...]
    accesses: dict[Operation, Access]
    folded: tuple[Folded, ...]

    @property
    def elements(self) -> list[ScalarType]:
        """The types of what is computed and stored."""
        return [scalar_type((op.operands if isinstance(op, memref.Store) else op.results)[0].type) for op in self.ops]

    @property
    def rows(self) -> dict[Place, int]:
        """Where iterations access neighbours, and along which mode."""
        return {access.place: access.mode for access in self.accesses.values() if access.mode is not None}


def lanes_of(loop: scf.For, floats: bool, fewest: int) -> Lanes | None:
    """What a loop does if its iterations may be done at once; without `floats` no sum of floats, and nothing is folded
    of fewer iterations than `fewest`."""
    if any(op.regions for op in loop.body.entry):
        # asked of each loop: those around others need not look through them
        return None
    nest = nest_of(loop)
    if not nest.is_known or nest.loops[0].step != 1 or loop.index.type is not INDEX:
        return None
    if trips(loop) == 0:
        return None
    accesses: dict[Operation, Access] = {}
    for reference in nest.references:
        access = _access(nest, loop, reference.op, reference.place)
        if access is None:
            return None
        accesses[reference.op] = access
    fixed = [access for access in accesses.values() if isinstance(access.op, memref.Store) and access.mode is None]
    folded = [_carried(loop, k, floats) for k in range(len(loop.carried))]
    folded += [_in_memory(store, list(accesses.values()), floats) for store in fixed]
    known = tuple(fold for fold in folded if fold is not None)
    if (fixed and loop.carried) or (known and trips(loop) in range(fewest)):
        return None
    ops = _that_count(loop, known) if len(known) == len(folded) else None
    if ops is None:
        return None
    lanes = Lanes(loop, ops, {op: accesses[op] for op in ops if op in accesses}, known)
    moves = any(access.mode is not None for access in lanes.accesses.values())
    return lanes if moves and are_apart([*lanes.accesses.values(), *fixed]) else None


def trips(loop: scf.For) -> int | None:
    """How many iterations a loop by ones has, if that is known."""
    lower, upper = emit.integer_of(loop.lower), emit.integer_of(loop.upper)
    return None if lower is None or upper is None else max(upper - lower, 0)


def _access(nest: Nest, loop: scf.For, op: memref.Load | memref.Store, place: Place) -> Access | None:
    """An access whose element is the next one, or the same one, in the next iteration."""
    if not nest.fixes(place.base) or not all(nest.is_affine(form, (loop.index,)) for form in place.subscripts):
        return None
    return access_along(op, place, loop.index)


def access_along(op: memref.Load | memref.Store, place: Place, variable: Value) -> Access | None:
    """An access whose element is the next one, or the same one, for the next value of a variable."""
    factors = [dict(form.terms).get(variable, 0) for form in place.subscripts]
    moving = [k for k, factor in enumerate(factors) if factor]
    if not moving:
        return Access(place, None, op)
    (mode, *more) = moving
    if more or factors[mode] != 1 or memref_type(place.base).strides[mode] != 1:
        return None
    return Access(place, mode, op)


def _carried(loop: scf.For, number: int, floats: bool) -> Folded | None:
    carried, last = loop.carried[number], scf.yielded(loop.body)[number]
    step = last.defining_op
    if not isinstance(step, Elementwise) or step.parent_op is not loop or not last.has_one_use():
        return None
    return Folded(step, carried) if _folds(step, carried, floats) else None


def _in_memory(store: Access, accesses: Sequence[Access], floats: bool) -> Folded | None:
    """A store of what was loaded from there and something else."""
    new = store.op.operands[0]
    step = new.defining_op
    loads = [access.op for access in accesses if isinstance(access.op, memref.Load) and access.place == store.place]
    if len(loads) != 1 or not isinstance(step, Elementwise) or not new.has_one_use():
        return None
    (old,) = loads[0].results
    return Folded(step, old, store) if _folds(step, old, floats) else None


def _folds(step: Elementwise, old: Value, floats: bool) -> bool:
    """Whether an operation takes a value that nothing else takes together with another one, in any order."""
    if not old.has_one_use() or old not in step.operands:
        return False
    if isinstance(step, EXTREMA):
        return True
    if not isinstance(step, SUMS + _OTHERS) or not (floats or scalar_type(old.type).is_integer):
        return False
    match step:
        case arith.Sub():
            return step.lhs is old
        case arith.Fma():
            return step.operands[2] is old
        case _:
            return True


def _that_count(loop: scf.For, folded: Sequence[Folded]) -> tuple[Operation, ...] | None:
    """Operations that something stored or folded is computed by, but for the stores and loads of what is folded.

    None if others count than those on elements.
    """
    steps, old = {fold.step for fold in folded}, {fold.old for fold in folded}
    dropped = {fold.store.op for fold in folded if fold.store is not None}
    needed: set[Value] = set()
    found: list[Operation] = []
    for op in reversed(loop.body.entry):
        if op in dropped or not (isinstance(op, memref.Store) or op in steps or not needed.isdisjoint(op.results)):
            continue
        match op:
            case memref.Store():
                needed.add(op.value)
            case memref.Load():
                pass
            case Elementwise() | arith.Constant():
                needed |= set(op.operands) - old
            case _:
                return None
        found.append(op)
    return None if loop.index in needed else tuple(reversed(found))


def are_apart(accesses: Sequence[Access]) -> bool:
    """Whether no iteration reads or writes what another one writes."""
    for store in accesses:
        for other in accesses if isinstance(store.op, memref.Store) else ():
            is_same = store.place == other.place and store.mode is not None
            if other is not store and not is_same and views_may_overlap(store.place.base, other.place.base):
                return False
    return True


def without(form: Linear, variable: Value) -> Linear:
    """A sum but for one of its terms."""
    return Linear(form.constant, tuple(term for term in form.terms if term[0] is not variable))
