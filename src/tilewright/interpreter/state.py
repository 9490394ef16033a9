"""State of a running work-group, and access to memory under the mask of active work-items."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, Final

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from tilewright.diagnostics import Diagnostic, Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import scf
from tilewright.dialects.builtin import Kernel
from tilewright.interpreter.memory import Arrival, Buffer, Forming, GroupValue, Lanes, Leaving, Phase, View
from tilewright.interpreter.shadow import Shadow, Touch, among_work_items
from tilewright.interpreter.side_by_side import Cluster
from tilewright.interpreter.trial import Trial
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.types import AddressSpace
from tilewright.settings.product_units import Unit

Array = NDArray[Any]
RuntimeValue = Array | View | Lanes | GroupValue
_ALL: Final = np.asarray(True)
_LOST: Final = 0xA5
"""Bytes of elements that nobody may count on."""
Handler = Callable[["WorkGroup", Operation], None]


def _all_below(numbers: Array, end: int) -> bool:
    """Whether all of these integers of 64 bits lie from 0 up to the end."""
    # a negative one is large without its sign
    return bool(np.logical_and.reduce(numbers.view(np.uint64) < end, axis=None))


class WorkGroup(Struct):
    """One work-group. In SPMD regions scalars have a last axis over work-items (or none, if uniform).

    `mask` is the vector of active work-items inside SPMD regions, None outside. Tiles of subgroups have a first axis
    over subgroups.

    `who` says who performs the accesses of each place of the mask, where work-items or subgroups have to be told apart;
    `across` is what the work-groups of the launch do to global memory.

    While iterations of loops run in the place of work-items, `trial` notes what they touch; `nests` are the loops that
    they may be of, by the outermost one.

    `copies` are asynchronous ones on their way, in groups, of which each work-item has closed as many as `groups` says;
    `forming` are sums that nobody has awaited, by the number of the last product, of which `begun` have been begun.
    `phases` are barriers that count copies, by their words of memory. Where groups of warps take turns, `turn` says
    whether one has been passed on that nobody has awaited. Where blocks run in clusters, `cluster` is that of this
    one; where roles of a block run, `roles` are those. What goes on side by side does so in any `order`, or one after
    the other. `units` are those of a CPU whose arithmetic products have.
    """

    kernel: Kernel
    handlers: Mapping[type[Operation], Handler]
    subgroup_size: int
    size: tuple[int, int]
    group_id: tuple[int, int, int]
    num_groups: tuple[int, int, int]
    checked: bool
    fuel: int
    values: dict[Value, RuntimeValue] = field(default_factory=dict[Value, RuntimeValue])
    mask: Array | None = None
    who: Array | None = None
    spaces: list[object] = field(default_factory=list[object])
    symbols: Mapping[str, tuple[int, object]] = field(default_factory=dict[str, tuple[int, object]])
    failures: list[Diagnostic] = field(default_factory=list[Diagnostic])
    claims: list[tuple[Operation, object]] = field(default_factory=list[tuple[Operation, object]])
    shadow: Shadow = field(default_factory=among_work_items)
    across: Shadow | None = None
    trial: Trial | None = None
    nests: dict[Operation, list[scf.For]] = field(default_factory=dict[Operation, list[scf.For]])
    copies: list[Arrival] = field(default_factory=list[Arrival])
    groups: Array = field(default_factory=lambda: np.zeros(1, np.int64))
    forming: dict[int, Forming] = field(default_factory=dict[int, Forming])
    begun: int = 0
    phases: dict[tuple[int, int], Phase] = field(default_factory=dict[tuple[int, int], Phase])
    leaving: list[Leaving] = field(default_factory=list[Leaving])
    stored: dict[int, int] = field(default_factory=dict[int, int])
    turn: bool | None = None
    part: int = 0
    num_parts: int = 1
    memory: dict[int, View] = field(default_factory=dict[int, View])
    cluster: Cluster[WorkGroup] | None = None
    roles: Cluster[WorkGroup] | None = None
    side: int = 0
    order: Random | None = None
    units: frozenset[Unit] = frozenset()

    @property
    def items(self) -> int:
        """Work-items of the work-group."""
        return self.size[0] * self.size[1]

    @property
    def subgroups(self) -> int:
        """Subgroups of the work-group."""
        return self.items // self.subgroup_size

    @property
    def linear_id(self) -> int:
        """Number of the block in the launch, each of which is a work-group if these are not divided."""
        (x, y, z), (across, deep, _) = self.group_id, self.num_groups
        return self.part + self.num_parts * (x + across * (y + deep * z))

    def run(self, block: Block) -> None:
        """Execute the operations of a block in order."""
        for op in block:
            self.fuel -= 1
            if self.fuel < 0:
                fail("R021", op.location, "the kernel ran for too long (the interpreter's limit on operations)")
            self.handlers[type(op)](self, op)

    # Values

    def scalar(self, value: Value) -> Array:
        """A number, or one for each work-item."""
        found = self.values[value]
        assert isinstance(found, np.ndarray)
        return found

    def number(self, value: Value) -> int:
        """A uniform integer."""
        return int(self.uniform(self.scalar(value)))

    def uniform(self, values: Array) -> Any:
        """The value of the first active work-item."""
        if values.ndim == 0:
            return values[()]
        return values[int(np.argmax(self.active))]

    def memref(self, value: Value) -> View | Lanes:
        """A memref."""
        found = self.values[value]
        assert isinstance(found, View | Lanes)
        return found

    @property
    def active(self) -> Array:
        """Mask of active work-items (outside SPMD regions: of the one that counts)."""
        return np.ones(1, bool) if self.mask is None else self.mask

    def spread(self, values: Array) -> Array:
        """One entry a work-item."""
        return np.broadcast_to(values, self.active.shape) if values.ndim == 0 else values

    def per_subgroup(self, values: Array) -> Array:
        """A dynamically uniform value as one entry a subgroup: that of its first active work-item."""
        if values.ndim == 0:
            return np.broadcast_to(values, (self.subgroups,))
        rows = self.active.reshape(self.subgroups, self.subgroup_size)
        return values.reshape(rows.shape)[np.arange(self.subgroups), rows.argmax(axis=1)]

    @property
    def active_subgroups(self) -> Array:
        """Numbers of the subgroups that have an active work-item."""
        return np.flatnonzero(self.active.reshape(self.subgroups, self.subgroup_size).any(axis=1))

    # Elements

    def read(self, view: View, indices: Sequence[Array], where: Location, atomic: bool = False) -> Array:
        """Elements at `indices` (broadcast against each other) for active work-items; 0 for the others."""
        buffer, one = view.buffer, self._only_place(view, indices)
        if buffer is not None and one is not None and (buffer.written is None or buffer.written[one]):
            self._note(buffer, np.array([one]), Touch.of(False, atomic), where, _ALL)
            return np.asarray(buffer.data[one])
        buffer, at, active = self._locate(view, indices, where)
        everybody = np.logical_and.reduce(active, axis=None)
        chosen = at.reshape(-1) if everybody else at[active]
        if buffer.written is not None and not buffer.written[chosen].all():
            element = chosen[~buffer.written[chosen]][0]
            memory = "local memory" if buffer.space is AddressSpace.LOCAL else "memory"
            fail("R011", where, f"reads element {element} of {memory} {buffer.name}, which nothing has written")
        self._note(buffer, chosen, Touch.of(False, atomic), where, active)
        if everybody:
            return np.asarray(buffer.data[at])
        out = np.zeros(at.shape, buffer.data.dtype)
        out[active] = buffer.data[chosen]
        return out

    def write(self, view: View, indices: Sequence[Array], values: Array, where: Location, atomic: bool = False) -> None:
        """Store for every active work-item; of several that write one element the last one wins."""
        buffer, one = view.buffer, None if values.ndim else self._only_place(view, indices)
        if buffer is not None and one is not None and not buffer.readonly:
            self._note(buffer, np.array([one]), Touch.of(True, atomic), where, _ALL)
            if buffer.written is not None:
                buffer.written[one] = True
            buffer.data[one] = values
            return
        buffer, at, active = self._locate(view, indices, where)
        if at.ndim == 0 and values.ndim:
            at = np.broadcast_to(at, self.active.shape)
            active = np.broadcast_to(self.active, at.shape)
        everybody = np.logical_and.reduce(active, axis=None)
        chosen = at.reshape(-1) if everybody else at[active]
        if buffer.readonly:
            fail("R012", where, f"writes {buffer.name}, which is read-only")
        self._note(buffer, chosen, Touch.of(True, atomic), where, active)
        if buffer.written is not None:
            buffer.written[chosen] = True
        if everybody:
            buffer.data[at] = values
        else:
            buffer.data[chosen] = np.broadcast_to(values, at.shape)[active]

    def forget(self, view: View, indices: Sequence[Array], where: Location) -> None:
        """For every active work-item what is there is lost: something else is on its way, and may be there any time."""
        assert view.buffer is not None
        kept = view.buffer.data
        self.write(view, indices, np.full(kept.itemsize, _LOST, np.uint8).view(kept.dtype)[0], where)
        buffer, at, active = self._locate(view, indices, where)
        if buffer.written is not None:
            buffer.written[at[active]] = False

    def _only_place(self, view: View, indices: Sequence[Array]) -> int | None:
        """The position of the one element that all active work-items access: most accesses of loops are such.

        None if there may be several, or none is active, or something is wrong with it, of which `_locate` knows.
        """
        at = view.offset
        if view.buffer is None or not isinstance(at, int) or not (self.mask is None or self.mask.any()):
            return None
        for index, extent, stride in zip(indices, view.shape, view.strides, strict=True):
            if index.ndim or not isinstance(extent, int) or not isinstance(stride, int):
                return None
            number = int(index)
            if not 0 <= number < extent:
                return None
            at += number * stride
        return at if 0 <= at < len(view.buffer.data) else None

    def _locate(self, view: View, indices: Sequence[Array], where: Location) -> tuple[Buffer, Array, Array]:
        """Buffer, element positions, and which of them count; out-of-bounds ones are an error."""
        if view.buffer is None:
            fail("R010", where, "access through a null memref")
        at = np.asarray(view.offset, np.int64)
        inside: Array | None = None
        for index, extent, stride in zip(indices, view.shape, view.strides, strict=True):
            within = (index >= 0) & (index < extent)
            # Most are all inside, which the indices of one mode say in fewer places than elements have.
            if not np.logical_and.reduce(within, axis=None):
                inside = within if inside is None else inside & within
            at = at + (index if isinstance(stride, int) and stride == 1 else index * np.asarray(stride, np.int64))
        active = self.active
        if at.ndim == 0:
            active = np.asarray(active.any())
        elif active.shape != at.shape:
            active = np.broadcast_to(active, at.shape)
        counted = active
        if inside is not None:
            outside = active & ~inside
            if outside.any():
                self._out_of_bounds(view, indices, outside, where)
            counted = active & inside
        if not np.logical_and.reduce(counted, axis=None):
            at = np.where(counted, at, 0)
        size = len(view.buffer.data)
        if not _all_below(at, size) and (active & ((at < 0) | (at >= size))).any():
            fail("R010", where, f"access outside the {size} elements of {view.buffer.name}")
        return view.buffer, at, active

    def _out_of_bounds(self, view: View, indices: Sequence[Array], bad: Array, where: Location) -> None:
        first = int(np.argmax(bad)) if bad.ndim else 0

        def pick(number: Any) -> int:
            found = np.asarray(number)
            return int(found if found.ndim == 0 else np.broadcast_to(found, bad.shape).flat[first])

        position = ", ".join(str(pick(i)) for i in indices)
        extents = " x ".join(str(pick(s)) for s in view.shape)
        item = f" (work-item {first})" if bad.ndim else ""
        name = view.buffer.name if view.buffer is not None else "a null memref"
        fail("R010", where, f"index [{position}] is outside {name}, which has {extents} elements here{item}")

    # Checked mode

    def _note(self, buffer: Buffer, at: Array, touch: Touch, where: Location, active: Array) -> None:
        """Record the touches of elements `at`, one for each that is active, or one for all who are."""
        if self.trial is not None and self.who is not None:
            lanes = self.who[active if active.ndim else self.active]
            self.trial.note(buffer, at, lanes, write=touch in (Touch.WRITE, Touch.ATOMIC_WRITE))
        if not self.checked:
            return
        if self.who is not None:
            who = self.who[active if active.ndim else self.active]
            self.shadow.note(buffer, np.broadcast_to(at, who.shape), who, touch, where)
        if self.across is not None and buffer.space is AddressSpace.GLOBAL:
            self.across.note(buffer, at, np.full(at.shape, self.linear_id), touch, where)
