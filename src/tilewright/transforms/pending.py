"""Accesses that have happened since the last barrier of their address space: what later ones may have to wait for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct, field

from tilewright.dialects import scf, tile
from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout, Owner
from tilewright.ir.types import AddressSpace, TileType
from tilewright.transforms.aliasing import Access, commute, defined_inside, may_overlap, roots_may_overlap
from tilewright.transforms.steps import STEP

Loop = scf.For | scf.While

SPACES: Final = tuple(AddressSpace)
"""All of them; to go through an enumeration itself takes longer."""

_TOLD_APART: Final = 128
"""More accesses of one root are taken for the whole of it, so that the time is linear."""

_TRANSFERS: Final = (tile.Load, tile.Store)

_Group = tuple[Value | None, bool]
"""Accesses of one root that write, or of one that do not: most questions are settled by the group."""
Groups = dict[_Group, dict[Access, Loop | None]]


class Pending(Struct):
    """Accesses by space, each with the outermost loop whose back edge lies in between, None if there is none.

    The loops around an access are nested, and a conflict across the back edge of an inner one is one across that of an
    outer one as well, so the outermost is all that need be known. `through` holds the spaces that some path from where
    the state was empty reaches this place in without a barrier.
    """

    accesses: dict[AddressSpace, Groups] = field(default_factory=lambda: {space: {} for space in SPACES})
    through: set[AddressSpace] = field(default_factory=lambda: set(SPACES))

    def copy(self) -> Pending:
        """The same, to be changed on its own."""
        groups = {s: {key: dict(group) for key, group in found.items()} for s, found in self.accesses.items()}
        return Pending(groups, set(self.through))

    def add(self, accesses: Iterable[Access]) -> None:
        """These happen now. An access to any memory counts in both spaces."""
        for access in accesses:
            for space in spaces_of(access):
                self._group(space, access)[access] = None

    def fence(self, spaces: Iterable[AddressSpace]) -> None:
        """A barrier that fences these spaces."""
        for space in spaces:
            self.accesses[space] = {}
            self.through.discard(space)

    def join(self, other: Pending) -> None:
        """Another path comes here with `other` pending."""
        for space, groups in other.accesses.items():
            for key, group in groups.items():
                mine = self.accesses[space].setdefault(key, {})
                for access, loop in group.items():
                    # most paths agree: this runs for all that is pending where any two meet
                    if mine.setdefault(access, loop) is not loop:
                        mine[access] = _outer(mine[access], loop)
        self.through |= other.through

    def around(self, loop: Loop) -> Pending:
        """What the next iteration finds if this is what one leaves behind, `loop` being the loop."""
        return self._marked(loop, SPACES)

    def after(self, loop: Loop) -> Pending:
        """What all iterations leave behind if this is what one does: older accesses last where a path has no fence."""
        return self._marked(loop, self.through)

    def hazard(self, space: AddressSpace, accesses: Iterable[Access]) -> bool:
        """Whether any of these accesses, which may be in a space, has to wait for what is pending there."""
        return conflict(self.accesses[space], accesses)

    def _group(self, space: AddressSpace, access: Access) -> dict[Access, Loop | None]:
        return self.accesses[space].setdefault((access.root, access.writes), {})

    def _marked(self, loop: Loop, spaces: Iterable[AddressSpace]) -> Pending:
        found = self.copy()
        for space in spaces:
            for group in found.accesses[space].values():
                group.update(dict.fromkeys(group, loop))
        return found


def conflict(groups: Groups, accesses: Iterable[Access]) -> bool:
    """Whether any of some accesses has to wait for what is pending in a space."""
    return bool(groups) and any(_waits(groups, access) for access in accesses)


def _waits(groups: Groups, access: Access) -> bool:
    for (root, writes), group in groups.items():
        if not (writes or access.writes) or not _may_meet(root, access.root):
            continue
        if len(group) > _TOLD_APART or any(_conflict(before, loop, access) for before, loop in group.items()):
            return True
    return False


def spaces_of(access: Access) -> Sequence[AddressSpace]:
    """Those that an access may be in."""
    space = access.space
    return SPACES if space is None else (space,)


def _outer(a: Loop | None, b: Loop | None) -> Loop | None:
    if a is None or b is None:
        return a or b
    return a if a.is_ancestor_of(b) else b


def _may_meet(root: Value | None, other: Value | None) -> bool:
    return root is None or other is None or root is other or roots_may_overlap(root, other)


def _conflict(before: Access, loop: Loop | None, access: Access) -> bool:
    """Whether an access must wait for an earlier one of its space; one of the two writes."""
    if commute(before, access) or _one_step(before, loop, access) or _own_elements(before, loop, access):
        return False
    if before.root is None or access.root is None:
        return True
    return may_overlap(before, access, () if loop is None else (loop,))


def _one_step(before: Access, loop: Loop | None, access: Access) -> bool:
    """Whether two tile accesses belong to one execution of one collective instruction."""
    step = before.op.attributes.get(STEP)
    if step is None or access.op.attributes.get(STEP) != step:
        return False
    return loop is None or loop.attributes.get(STEP) == step


def _own_elements(before: Access, loop: Loop | None, access: Access) -> bool:
    """Whether two accesses are to one box, of which each thread has the same elements to itself both times."""
    first, second = before.op, access.op
    if not isinstance(first, _TRANSFERS) or not isinstance(second, _TRANSFERS):
        return False
    type_ = _tile_of(first)
    if type_.layout is None or type_ != _tile_of(second) or _has_copies(type_.layout):
        return False
    places = [first.memref, *first.indices]
    if places != [second.memref, *second.indices]:
        return False
    return loop is None or not any(defined_inside(place, (loop,)) for place in places)


def _tile_of(op: tile.Load | tile.Store) -> TileType:
    found = (op.out if isinstance(op, tile.Load) else op.value).type
    assert isinstance(found, TileType)
    return found


def _has_copies(layout: Layout) -> bool:
    """Whether several threads hold the same element."""
    return any(place.digit.owner is not Owner.REG and place.digit.extent > 1 for place in layout.along(None))
