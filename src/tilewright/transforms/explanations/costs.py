"""What each access of a kernel on the lane level costs a warp: sectors of global memory, passes over shared banks.

Addresses are those of the first warp (`lane_values.py`), with arrays that begin on a sector's edge and rows of unknown
distance far apart. Tests on who a thread is, and of edges that are known, take lanes out; all others are taken to let
all of them through.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import lane, scf
from tilewright.dialects.addresses import FromAddress
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.lane_products import MATRIX_BYTES, MATRIX_ROWS, CopyAsync, LoadMatrices
from tilewright.ir.banks import BANK_BYTES, BANKS, SECTOR_BYTES
from tilewright.ir.core import Operation, Value
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import AccessesAddresses, AccessesBox, ViewLike, root_of
from tilewright.ir.types import AddressSpace, FragmentType, MemrefType
from tilewright.numerics.later import Array, np
from tilewright.transforms.explanations.lane_values import LaneValues
from tilewright.transforms.explanations.records import MemoryAccess
from tilewright.transforms.lane_accesses import LANES, Address, bank_cycles

_FAR: Final = 1 << 20
_VERBS: Final = {EffectKind.READ: "loads", EffectKind.WRITE: "stores", EffectKind.UPDATE: "updates"}


Runs = Sequence[tuple[Array, Array]]
"""Addresses by lane, and which lanes access them, of accesses one after the other."""


class Told(Struct, frozen=True):
    """An access with its operation and what it accesses, None for addresses."""

    op: Operation
    root: Value | None
    access: MemoryAccess


def place_of(op: Operation) -> str:
    """Line and column of an operation; empty if it comes from no source."""
    found = op.location.primary
    return "" if found is None else ":".join(map(str, found.source.position(found.start)))


class Costs(Struct):
    """Of the accesses of one kernel; `names` tells memory from memory."""

    values: LaneValues
    names: dict[Value, str]

    def of(self, op: Operation) -> list[Told]:
        """What an operation costs, if it accesses memory thread by thread."""
        if isinstance(op, CopyAsync):
            return self._copied(op)
        found = self._access(op)
        return [] if found is None else [found]

    def _copied(self, op: CopyAsync) -> list[Told]:
        """What is read, and what is written."""
        read = list(lane.offsets(op.registers, len(op.indices)))[:: op.width]
        written = list(lane.offsets(op.target_registers, len(op.target_indices)))[:: op.width]
        assert isinstance(op.memref.type, MemrefType)
        bytes_ = op.memref.type.element.bytes * op.width
        source = self._runs(op.memref, op.indices, read, op.check)
        target = self._runs(op.target, op.target_indices, written)
        if source is not None and target is not None and not op.fills:
            target = [(at, taken) for (at, _), (_, taken) in zip(target, source, strict=True)]
        return [
            self._told(op, op.memref, bytes_, len(read), source, _VERBS[EffectKind.READ]),
            self._told(op, op.target, bytes_, len(written), target, _VERBS[EffectKind.WRITE]),
        ]

    def _access(self, op: Operation) -> Told | None:
        if isinstance(op, LoadMatrices):
            runs = self._runs(op.memref, op.indices, op.starts)
            if runs is not None:
                # a lane for each row of the matrices that are loaded at once
                rows = [np.arange(self.values.lanes) < MATRIX_ROWS * count for count in op.counts]
                runs = [(at, taken & mine) for (at, taken), mine in zip(runs, rows, strict=True)]
            return self._told(op, op.memref, MATRIX_BYTES, len(op.starts), runs)
        if isinstance(op, lane.Load | lane.Store):
            fragment = op.out if isinstance(op, lane.Load) else op.value
            offsets = list(lane.offsets(op.registers, len(op.indices)))[:: op.width]
            runs = self._runs(op.memref, op.indices, offsets, op.check)
            return self._told(op, op.memref, fragment_of(fragment).element.bytes * op.width, len(offsets), runs)
        if isinstance(op, AccessesAddresses):
            return self._at_addresses(op)
        if isinstance(op, AccessesBox):
            box = op.box()
            if all(extent == 1 for extent in box.shape):
                runs = self._runs(box.memref, box.indices, [(0,) * len(box.indices)])
                assert isinstance(box.memref.type, MemrefType)
                return self._told(op, box.memref, box.memref.type.element.bytes, 1, runs)
        return None

    def _at_addresses(self, op: AccessesAddresses) -> Told | None:
        found = op.elements()
        type_ = found.data.type
        if not isinstance(type_, FragmentType):
            return None
        known = self.values.of(found.addresses)
        mask = None if found.mask is None else self.values.of(found.mask)
        taken = np.ones((self.values.lanes, type_.size), bool)
        if mask is not None and mask.exact:
            taken = mask.offsets != 0
        runs = None if known is None else list(zip(known.offsets.T, taken.T, strict=True))
        return self._told(op, None, type_.element.bytes, type_.size, runs)

    def _runs(
        self, memory: Value, indices: Sequence[Value], offsets: Sequence[tuple[int, ...]], check: Sequence[bool] = ()
    ) -> Runs | None:
        """For each access of a thread byte addresses by lane, and which lanes a test of the edges surely lets do it."""
        assert isinstance(memory.type, MemrefType)
        start = self._base(memory)
        strides = [_stride(memory.type, mode) for mode in range(memory.type.order)]
        for index, stride in zip(indices, strides, strict=True):
            known = self.values.of(index)
            if known is None or start is None:
                return None
            start = start + known.offsets * stride
        if start is None:
            return None
        steps = [sum(at * stride for at, stride in zip(offset, strides, strict=True)) for offset in offsets]
        inside = [self._inside(memory.type, indices, offset, check) for offset in offsets]
        return [(start + step, taken) for step, taken in zip(steps, inside, strict=True)]

    def _inside(
        self, type_: MemrefType, indices: Sequence[Value], offset: Sequence[int], check: Sequence[bool]
    ) -> Array:
        """Lanes whose element is not surely outside, along the modes that are tested."""
        found = np.ones(self.values.lanes, bool)
        for mode in (mode for mode, is_tested in enumerate(check) if is_tested):
            extent, known = type_.shape[mode], self.values.of(indices[mode])
            if extent is not None and known is not None and known.exact:
                at = known.offsets + offset[mode]
                found &= (at >= 0) & (at < extent)
        return found

    def _base(self, memory: Value) -> Array | None:
        """Where a view begins on each lane."""
        op = memory.defining_op
        if isinstance(op, ViewLike):
            start = self._base(op.memref)
            assert isinstance(op.memref.type, MemrefType)
            for mode, offset in enumerate(op.source_offsets()):
                if isinstance(offset, int):
                    continue
                known = self.values.of(offset)
                if known is None or start is None:
                    return None
                start = start + known.offsets * _stride(op.memref.type, mode)
            return start
        if isinstance(op, FromAddress):
            address = self.values.of(op.address)
            return None if address is None else address.offsets
        known = self.values.of(memory)
        return None if known is None else known.offsets

    def _told(
        self, op: Operation, memory: Value | None, bytes_: int, times: int, runs: Runs | None, kind: str | None = None
    ) -> Told:
        type_ = memory.type if memory is not None and isinstance(memory.type, MemrefType) else None
        shared = type_ is not None and type_.space is AddressSpace.LOCAL
        root = None if memory is None else root_of(memory)
        units = least = None
        if runs is not None:
            active = self._active(op)
            placed = [
                [int(at) if here else None for at, here in zip(run, active & inside, strict=True)]
                for run, inside in runs
            ]
            units = sum(_passes(run, bytes_, type_) if shared else _sectors(run, bytes_) for run in placed)
            least = sum(_least_passes(run, bytes_) if shared else _least_sectors(run, bytes_) for run in placed)
        kind = kind or next((_VERBS[e.kind] for e in op.effects() or () if e.kind in _VERBS), "accesses")
        what = "memory at addresses" if root is None else self.names.get(root, "memory")
        access = MemoryAccess(place_of(op), kind, what, shared, bytes_, times, units, least, _is_narrow(op))
        return Told(op, root, access)

    def _active(self, op: Operation) -> Array:
        """Lanes that come to an operation, as far as tests on who they are keep them from it."""
        found = np.ones(self.values.lanes, bool)
        for inner, condition in _conditions(op):
            known = self.values.of(condition.condition)
            if known is not None and known.exact:
                is_then = condition.then.entry is inner.block
                found &= (known.offsets != 0) == is_then
        return found


def _conditions(op: Operation) -> Iterator[tuple[Operation, scf.If]]:
    """The conditions that an operation stands under, each with what stands in one of its regions."""
    inner = op
    for outer in op.ancestors():
        if isinstance(outer, scf.If):
            yield inner, outer
        inner = outer


def _stride(type_: MemrefType, mode: int) -> int:
    stride = type_.strides[mode]
    return type_.element.bytes * (_FAR * (mode + 1) if stride is None else stride)


def _sectors(addresses: Sequence[Address], bytes_: int) -> int:
    touched: set[int] = set()
    for first in addresses:
        if first is not None:
            touched.update(range(first // SECTOR_BYTES, (first + bytes_ - 1) // SECTOR_BYTES + 1))
    return len(touched)


def _least_sectors(addresses: Sequence[Address], bytes_: int) -> int:
    """Those that the bytes of a warp fill, each counted once."""
    return -(-len(set(addresses) - {None}) * bytes_ // SECTOR_BYTES)


def _passes(addresses: Sequence[Address], bytes_: int, type_: MemrefType | None) -> int:
    swizzle = None if type_ is None else type_.swizzle
    if swizzle is None:
        return bank_cycles(addresses, bytes_)
    return bank_cycles([None if at is None else swizzle.place(at) for at in addresses], bytes_)


def _least_passes(addresses: Sequence[Address], bytes_: int) -> int:
    """One for each group of lanes that are served together."""
    together = min(LANES, BANKS * BANK_BYTES // bytes_)
    groups = [addresses[first : first + together] for first in range(0, len(addresses), together)]
    return sum(any(at is not None for at in group) for group in groups)


def _is_narrow(op: Operation) -> bool:
    """Whether the other branch of a condition does the same access at once that this one takes several for."""
    outer = op.parent_op
    if not isinstance(outer, scf.If) or not isinstance(op, lane.Load | lane.Store):
        return False
    kind = lane.Load if isinstance(op, lane.Load) else lane.Store
    widths = [other.width for region in outer.regions for other in region.entry if isinstance(other, kind)]
    return max(widths) > op.width
