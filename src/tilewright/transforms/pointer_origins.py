"""Which memory an address was computed from: arrays given for pointer parameters, globals, reserved memory.

Addresses are integers, so this follows sums, choices and loops back to where a pointer came in. A number that comes
from elsewhere (memory, a parameter that is no pointer) is an offset if it is added to a pointer, else unknown.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, field

from tilewright.dialects import addresses, arith, scf, statics, tile
from tilewright.ir.core import BlockArgument, Operation, OpResult, Value
from tilewright.ir.interfaces import MovesElements

Origin = addresses.AddressOf | statics.GlobalAddress | statics.Reserve


class _Sources(Struct, frozen=True):
    """How a value comes about: one of `choices`, or the sum of `parts`."""

    choices: Sequence[Value] = ()
    parts: Sequence[Value] = ()


class _Found(Struct, frozen=True):
    """`origins` of an address, none of a number; `unknown` where it may be either, or a made-up address."""

    origins: frozenset[Origin] = frozenset()
    unknown: bool = False


_NUMBER = _Found()


class PointerOrigins(Struct, frozen=True):
    """Answers for one kernel, worked out when somebody asks."""

    _known: dict[Value, _Found] = field(default_factory=dict[Value, _Found])

    def of(self, address: Value) -> Sequence[Origin]:
        """The memory that an address may lie in, in some order; none if that cannot be told."""
        if address not in self._known:
            self._solve(address)
        found = self._known[address]
        return () if found.unknown else list(found.origins)

    def _solve(self, address: Value) -> None:
        """The least fixed point over all that the address depends on."""
        sources = _all_sources(address)
        found: dict[Value, _Found | None] = dict.fromkeys(sources)
        changed = True
        while changed:
            changed = False
            for value, origin in sources.items():
                new = _combined(value, origin, found)
                if new is not None and new != found[value]:
                    found[value], changed = new, True
        self._known.update((value, answer or _NUMBER) for value, answer in found.items())


def _all_sources(address: Value) -> dict[Value, _Sources]:
    """What the address depends on, what comes first last."""
    sources: dict[Value, _Sources] = {}
    waiting = [address]
    while waiting:
        value = waiting.pop()
        if value not in sources:
            sources[value] = _sources(value)
            waiting += [*sources[value].choices, *sources[value].parts]
    return dict(reversed(sources.items()))


def _sources(value: Value) -> _Sources:
    if isinstance(value, BlockArgument):
        return _Sources(choices=_carried(value.block.parent_op, value.index))
    assert isinstance(value, OpResult)
    op, number = value.op, value.index
    match op:
        case arith.Add():
            return _Sources(parts=(op.lhs, op.rhs))
        case arith.Sub():
            return _Sources(parts=(op.lhs,))
        case arith.Select():
            return _Sources(choices=(op.on_true, op.on_false))
        case MovesElements() | tile.Splat() | tile.Item():
            return _Sources(choices=op.operands)
        case scf.If():
            arms = [scf.yielded(region) for region in op.regions]
            return _Sources(choices=[arm[number] for arm in arms])
        case scf.For():
            return _Sources(choices=_carried(op, number + 1))
        case scf.While():
            return _Sources(choices=_carried(op, number)[1:])
        case _:
            return _Sources()


def _carried(loop: Operation | None, argument: int) -> Sequence[Value]:
    """What a value that a loop carries begins with, and what follows; by the number of the body's argument."""
    if isinstance(loop, scf.For) and argument:
        return (loop.inits[argument - 1], scf.yielded(loop.body)[argument - 1])
    if isinstance(loop, scf.While):
        return (loop.inits[argument], scf.yielded(loop.body)[argument + 1])
    return ()


def _combined(value: Value, sources: _Sources, found: dict[Value, _Found | None]) -> _Found | None:
    """What is known of a value by now; None if nothing is."""
    op = value.defining_op
    if isinstance(op, Origin):
        return _Found(frozenset([op]))
    if sources.parts:
        known = [answer for part in sources.parts if (answer := found[part]) is not None]
        if len(known) < len(sources.parts):
            return None
        return _Found(_union(known), any(part.unknown for part in known))
    if sources.choices:
        known = [answer for choice in sources.choices if (answer := found[choice]) is not None]
        if not known:
            return None
        mixed = any(answer.origins for answer in known) and not all(answer.origins for answer in known)
        return _Found(_union(known), mixed or any(answer.unknown for answer in known))
    return _NUMBER


def _union(answers: Sequence[_Found]) -> frozenset[Origin]:
    return frozenset(origin for answer in answers for origin in answer.origins)
