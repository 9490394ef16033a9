"""Which elements a nest combines: the iterations of its updates as boxes, put together through tiles and unrolling.

A *mode* of an update is a position that one or more subscripts have in common but for fixed distances. Where each loop
moves along one mode, the iterations are a product of progressions (`progressions`), and those of several statements
that lie beside each other become one.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Final

from msgspec import Struct

from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.loop_nests.nests import Loop, Nest, variables_of
from tilewright.transforms.raise_contractions.progressions import Progression, constant, joined, over
from tilewright.transforms.raise_contractions.updates import Update

_MOST_STRIDE: Final = 16
"""How far single positions may be apart to be taken together, as those of an unrolled loop with a step."""


class Subscript(Struct, frozen=True):
    """A position: that of a mode, further on by a fixed distance."""

    mode: int
    distance: Linear


class Box(Struct, frozen=True):
    """Updates for every combination of positions of the modes, each once.

    `update` says of what; `subscripts` are those of the target, then of each source. It holds where none of
    `conditions` is negative.
    """

    update: Update
    subscripts: tuple[tuple[Subscript, ...], ...]
    modes: tuple[Progression, ...]
    conditions: tuple[Linear, ...] = ()


class _Part(Struct, frozen=True):
    """A box in every iteration of loops."""

    loops: tuple[Loop, ...]
    modes: tuple[Progression, ...]
    conditions: tuple[Linear, ...] = ()


def boxes(nest: Nest, updates: Sequence[Update]) -> list[Box] | None:
    """The boxes of updates that have targets, sources and factors in common (`kind`); None if they are none."""
    found = _modes(nest, updates)
    if found is None:
        return None
    subscripts, positions = found
    parts = [_Part(u.loops, tuple(map(Progression.at, at))) for u, at in zip(updates, positions, strict=True)]
    while any(part.loops for part in parts):
        depth = max(len(part.loops) for part in parts)
        merged = _merged(nest, [part for part in parts if len(part.loops) == depth])
        lifted = [_lifted(part) for part in merged]
        parts = [part for part in parts if len(part.loops) < depth]
        for part in lifted:
            if part is None:
                return None
            parts.append(part)
    parts = _merged(nest, parts)
    if any(mode.step != 1 for part in parts for mode in part.modes):
        return None
    return [Box(updates[0], subscripts, part.modes, part.conditions) for part in parts]


def kind(update: Update) -> Hashable:
    """What updates have to share for their iterations to be taken together."""
    bases = tuple(id(source.base) for source in update.sources)
    return id(update.target.base), bases, update.scales, update.sign, update.accumulates


def _modes(
    nest: Nest, updates: Sequence[Update]
) -> tuple[tuple[tuple[Subscript, ...], ...], list[list[Linear]]] | None:
    """Subscripts in terms of modes, and for each update the positions of the modes."""
    places = [[u.target, *u.sources] for u in updates]
    slots = [[form for place in row for form in place.subscripts] for row in places]
    firsts: list[int] = []
    found: list[Subscript] = []
    for slot in range(len(slots[0])):
        for mode, first in enumerate(firsts):
            distance = _distance(nest, [(row[slot], row[first]) for row in slots])
            if distance is not None:
                found.append(Subscript(mode, distance))
                break
        else:
            found.append(Subscript(len(firsts), Linear()))
            firsts.append(slot)
    rest = iter(found)
    subscripts = tuple(tuple(next(rest) for _ in place.subscripts) for place in places[0])
    variables = variables_of(nest.loops)
    if not all(nest.is_affine(form, variables) for row in slots for form in row):
        return None
    return subscripts, [[row[first] for first in firsts] for row in slots]


def _distance(nest: Nest, pairs: Sequence[tuple[Linear, Linear]]) -> Linear | None:
    """The fixed sum by which the first of each pair is larger than the second, if it is the same for all."""
    first, *others = [one.plus(other, -1) for one, other in pairs]
    if not all(nest.fixes(value) for value in first.values):
        return None
    return first if all(constant(one.plus(first, -1)) == 0 for one in others) else None


def _lifted(part: _Part) -> _Part | None:
    """A box of each iteration of the innermost loop as one of all of them."""
    *outer, loop = part.loops
    moving = [k for k, mode in enumerate(part.modes) if mode.knows(loop.variable)]
    if len(moving) != 1:
        return None
    whole = over(loop, part.modes[moving[0]])
    if whole is None:
        return None
    modes = tuple(whole if k == moving[0] else mode for k, mode in enumerate(part.modes))
    return _Part(tuple(outer), modes, part.conditions)


def _merged(nest: Nest, parts: Sequence[_Part]) -> list[_Part]:
    """The same iterations in fewer boxes. What lies close together is joined first."""
    found = list(parts)
    stride = 1
    while len(found) > 1 and stride <= _MOST_STRIDE:
        count = len(found)
        for mode in range(len(found[0].modes)):
            groups: dict[Hashable, list[_Part]] = {}
            for part in found:
                groups.setdefault(_others(part, mode), []).append(part)
            found = [part for group in groups.values() for part in _chained(nest, group, mode, stride)]
        stride = 1 if len(found) < count else stride + 1
    return found


def _others(part: _Part, mode: int) -> Hashable:
    """What parts that lie beside each other along a mode have in common."""
    others = tuple(_key(progression) for k, progression in enumerate(part.modes) if k != mode)
    return tuple(id(loop.op) for loop in part.loops), others


def _key(progression: Progression) -> Hashable:
    return frozenset(map(_form, progression.firsts)), frozenset(map(_form, progression.ends)), progression.step


def _form(form: Linear) -> Hashable:
    return form.constant, frozenset((id(value), factor) for value, factor in form.terms)


def _chained(nest: Nest, parts: list[_Part], mode: int, stride: int) -> list[_Part]:
    """Parts that lie one behind the other along a mode, joined."""
    left = list(parts)
    found: list[_Part] = []
    while left:
        current = left.pop(0)
        grown = True
        while grown:
            grown = False
            for other in left:
                both = _beside(nest, current, other, mode, stride) or _beside(nest, other, current, mode, stride)
                if both is not None:
                    left.remove(other)
                    current, grown = both, True
                    break
        found.append(current)
    return found


def _beside(nest: Nest, one: _Part, other: _Part, mode: int, stride: int) -> _Part | None:
    both = joined(one.modes[mode], other.modes[mode], stride)
    if both is None or not all(_all_fixed(nest, form) for form in both.conditions):
        return None
    modes = tuple(both.whole if k == mode else progression for k, progression in enumerate(one.modes))
    return _Part(one.loops, modes, (*one.conditions, *other.conditions, *both.conditions))


def _all_fixed(nest: Nest, form: Linear) -> bool:
    return all(nest.fixes(value) for value in form.values)


def uses(box: Box, mode: int) -> tuple[bool, ...]:
    """For the target and each source whether a mode is among its subscripts."""
    return tuple(any(subscript.mode == mode for subscript in row) for row in box.subscripts)
