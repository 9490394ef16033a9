"""divide-tiles: several blocks compute slices of what a work-group computes, where grids have too few of them.

before:  %sum = scf.for .. { %x = tile.load %A, %i, %k -> tile<128x64xf16>  .. tile.mma .. -> tile<128x128xf32> }
         tile.store %sum, %C, %i, %j                                                     64 work-groups
after:   scf.for %s = 0 to 128 step 64 parallel {                                        64 times two blocks
             %sum = scf.for .. { %x = tile.load %A, %i + %s, %k -> tile<64x64xf16>  .. -> tile<64x128xf32> }
             tile.store %sum, %C, %i + %s, %j }

A program says how large its tiles are, and with that into how many work-groups a result is divided. Where these are
fewer than the multiprocessors of the device, some have nothing to do. `spread-collectives` divides the loops over
slices among blocks, as it does loops over tiles. The answer does not depend on how many blocks there are, which a
launch decides: on larger grids than was expected it has fewer for each work-group.

By the model that happens where extents are constant, so that the grid is known (`grids.py`), to kernels of one product,
unless anything else is asked of them. Else it is asked for: `divide=2x1` in all launches, and with `divide=2x1/66` the
kernel stays as it is, and behind it comes one that computes slices, which launches of at most so many work-groups take
in its place (`stepped`). Nobody has that unless it is asked for, since it is compiled as long as the first one.

A pass on tiles, which knows no kind of kernel: what is stored is cut, and so is all that it is computed of (`cuts.py`).
Left alone are kernels in which slices would wait for each other (`orders.py`), or that do what a work-group does once.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import ClassVar, Final, TypeAlias

from msgspec.structs import replace

from tilewright.dialects import team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.schedules import Schedule, Slices
from tilewright.transforms.cse import eliminate_common_subexpressions
from tilewright.transforms.divide_tiles.cuts import Cuts, Undivided
from tilewright.transforms.divide_tiles.grids import groups_of
from tilewright.transforms.divide_tiles.orders import wait_only_for_arrays
from tilewright.transforms.divide_tiles.rewriting import separate_numbers, slice_by_slice
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.request import ScheduleRequest
from tilewright.transforms.schedule.said import schedule_of
from tilewright.transforms.separate_arrays import hold_up
from tilewright.transforms.spread_collectives.phases import SAID_OF_THE_WHOLE, step_name
from tilewright.transforms.tile_values import tile_type

Pair: TypeAlias = tuple[int, int]
"""Slices along the first and the second axis of a result."""

_WHOLE: Final = (1, 1)
_COUNTS: Final = (1, 2, 4)
_GAIN: Final = 0.9
"""Of the time of whole tiles, which slices have to fall short of."""


class DivideTiles(Pass, frozen=True):
    """Divide the tiles of kernels by the target's model."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    request: ScheduleRequest = ScheduleRequest()
    name: ClassVar[str] = "divide-tiles"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = [self._divide(kernel, context) for kernel in module.kernels]
        return any(changed)

    def _divide(self, kernel: Kernel, context: PassContext) -> bool:
        """Let a kernel compute slices, if that is possible and wanted; whether anything has changed."""
        asked, groups = self.request.of(kernel), self._few_groups(kernel)
        is_asked = asked.divide is not None and asked.divide.parts != _WHOLE
        is_offered = context.offers is not None and _product_of(kernel) is not None
        if asked.spread is False or not (is_asked or groups or is_offered) or not _is_grid(kernel):
            return False
        copy = kernel.clone()
        assert isinstance(copy, Kernel)
        eliminate_common_subexpressions(copy)
        separate_numbers(copy)
        try:
            cuts = Cuts.of_kernel(copy, _axes(asked.divide))
            wanted = asked.divide or Slices(self._parts(copy, cuts, groups) if groups else _WHOLE)
            lengths = _lengths(cuts, wanted.parts)
            waits = wait_only_for_arrays(copy, cuts)
        except Undivided as reason:
            return is_asked and _say(kernel, str(reason))
        if is_offered and context.offers is not None:
            context.offers.add(kernel.sym_name, _moves(cuts, wanted))
        if wanted.parts == _WHOLE:
            return False
        if waits:
            hold_up(kernel, self.name)
            return _say(kernel, "arrays may overlap")
        slice_by_slice(copy, cuts, lengths)
        if copy.spread:
            copy.work_group_size = (self.policy.threads_of(copy), 1)
        _put(copy, kernel, wanted)
        return True

    def _few_groups(self, kernel: Kernel) -> int | None:
        """The work-groups of a grid that has few, each with one product, of which nothing is asked; None for others."""
        if self.request.of(kernel) != Schedule() or _product_of(kernel) is None:
            return None
        groups = groups_of(kernel)
        return groups if groups is not None and groups < self.policy.most_divided else None

    def _parts(self, kernel: Kernel, cuts: Cuts, groups: int) -> Pair:
        """Into how many slices along the axes the model divides results of so many work-groups, each of a product."""
        product = _product_of(kernel)
        assert product is not None, "who has none gains nothing"
        times = {parts: self._time(product, cuts, groups, parts) for parts in _possible(cuts)}
        known = {parts: time for parts, time in times.items() if time is not None}
        best = min(known, key=lambda parts: known[parts], default=_WHOLE)
        # models are off by less
        return best if _WHOLE in known and known[best] < _GAIN * known[_WHOLE] else _WHOLE

    def _time(self, op: tile.Mma, cuts: Cuts, groups: int, parts: Pair) -> float | None:
        """Of the products of all work-groups with their tiles in so many parts; None if the model knows none such."""
        lhs, rhs, acc = (tile_type(value).element for value in (op.lhs, op.rhs, op.acc))
        rows, columns = (
            extent // (1 if axis is None else parts[axis])
            for extent, axis in zip(tile_type(op.out).shape, cuts.of[op.out], strict=True)
        )
        return self.policy.product_time((lhs, rhs, acc), (rows, columns), groups * prod(parts))


def _put(copy: Kernel, kernel: Kernel, wanted: Slices) -> None:
    """Put a kernel that computes slices in the place of one with whole tiles, or behind it, for grids of few
    work-groups."""
    if wanted.groups is None:
        copy.schedule = str(replace(schedule_of(copy), divide=wanted))
        Builder.before_op(kernel)(copy)
        kernel.erase()
        return
    assert kernel.block is not None
    kernel.stepped = (wanted.groups, 1)
    kernel.schedule = str(replace(schedule_of(kernel), divide=wanted))
    copy.sym_name, copy.step_of = step_name(kernel, 0), kernel.sym_name
    for attribute in SAID_OF_THE_WHOLE:
        copy.attributes.pop(attribute, None)
    copy.schedule = str(Schedule(divide=Slices(wanted.parts)))
    kernel.block.insert(copy, kernel.next)


def _product_of(kernel: Kernel) -> tile.Mma | None:
    """The only product of a kernel."""
    found = [op for op in kernel.walk() if isinstance(op, tile.Mma)]
    return found[0] if len(found) == 1 else None


def _is_grid(kernel: Kernel) -> bool:
    """Whether a program says how its work is divided, as tiles of a grid, and nobody has divided it further."""
    is_own = kernel.parts is None and kernel.step_of is None and kernel.stepped is None
    return is_own and any(isinstance(op, team.GroupId) for op in kernel.walk())


def _possible(cuts: Cuts) -> Iterator[Pair]:
    """How results may be divided."""
    extents = (*cuts.extents, *_WHOLE)[: len(_WHOLE)]
    for first in _COUNTS:
        for second in _COUNTS:
            if extents[0] % first == 0 and extents[1] % second == 0:
                yield first, second


def _moves(cuts: Cuts, taken: Slices) -> Iterator[Schedule]:
    """Other numbers of slices."""
    for parts in _possible(cuts):
        if parts != taken.parts and prod(parts) <= max(_COUNTS):
            yield Schedule(divide=Slices(parts))


def _axes(asked: Slices | None) -> frozenset[int]:
    """Those along which slices are asked for; all of a product where a model chooses."""
    return frozenset(axis for axis, count in enumerate(asked.parts if asked is not None else (2, 2)) if count > 1)


def _lengths(cuts: Cuts, parts: Pair) -> list[int]:
    """Of the slices along the axes. Raises `Undivided` where parts do not divide the results."""
    lengths = list[int]()
    for extent, count in zip(cuts.extents, parts, strict=False):
        if extent % count:
            raise Undivided(f"no {count} equal slices make {extent} elements")
        lengths.append(extent // count)
    return lengths


def _say(kernel: Kernel, reason: str) -> bool:
    kernel.schedule = str(replace(schedule_of(kernel), reason=f"no slices: {reason}"))
    return True
