"""recompute-tiles: what there is no room for across a reduction is computed behind it again, or waits elsewhere.

before:  %x = tile.load ..  %w = tile.load ..  %s = tile.reduce %x ..  %d = arith.sub %x, .. %s ..  %q = .. %d, %w
after:   %x = tile.load ..  %s = tile.reduce %x ..  %x2 = tile.load ..  %d = arith.sub %x2, ..  %w2 = tile.load

First go tiles that nothing in front of the reduction needs, which costs nothing; if that does not suffice, all that is
cheap, loads last. A tile is loaded again only if nothing that writes or synchronises lies between.

A block that has a multiprocessor for itself has its shared memory, too. There what would be loaded again waits
(`gpu.spill`), what is dear to compute again, and what is there in front of a barrier and stored behind it:

after:   %x = tile.load ..  %k = gpu.spill %x {bytes = ..}  %s = tile.reduce %x ..  %d = arith.sub %k, ..
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar, Final

from msgspec import Struct, field

from tilewright.dialects import arith, gpu, memref, scf, team, tile
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel, Module
from tilewright.dialects.tile_combine import ReduceBy, ScanBy
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.definition import ELEMENTARY
from tilewright.ir.effects import EffectKind
from tilewright.ir.interfaces import Elementwise, MovesElements
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import BOOL, TileType
from tilewright.transforms.aliasing import allocation_bytes, effects_of
from tilewright.transforms.generic_policies import GenericSchedulePolicy
from tilewright.transforms.policy import SchedulePolicy
from tilewright.transforms.schedule.choose_schedule import rows_there
from tilewright.transforms.schedule.known import collective, runs_lanes, teams_of
from tilewright.transforms.tile_values import tile_type

_ROOM: Final = 32
"""Registers of a thread that tiles may fill across a reduction."""
_ROOM_BESIDE: Final = 16
"""Those of a tile of which the rest is in shared memory."""
_REGISTERS: Final = 65536
"""Of a multiprocessor."""
_MOST_REGISTERS: Final = 255
"""Of a thread."""
_ALONE: Final = 512
"""Larger blocks have a multiprocessor for themselves."""
_MOST_WARPS: Final = 32
"""Of a block, each of which has a part of what is reduced."""
_RESERVED: Final = 1024
"""Bytes of shared memory that allocations lose by their alignment."""
_PIECE: Final = 16
"""Bytes that a thread writes to shared memory at once."""

_WORD: Final = 4
"""Bytes of a register."""
_CHEAP: Final = (arith.Constant, Elementwise, MovesElements, tile.Load, tile.Splat, tile.Iota)
_REDUCTIONS: Final = (tile.Reduce, ReduceBy)
_EXCHANGES: Final = (tile.Scan, ScanBy, tile.Mma, tile.Permute, tile.Extract, tile.Cat, team.Spmd)
"""What may need much shared memory itself."""
_QUIET: Final = frozenset({EffectKind.READ, EffectKind.HINT, EffectKind.ALLOCATE})


class RecomputeTiles(Pass, frozen=True):
    """Keep few tiles alive across reductions."""

    policy: SchedulePolicy = GenericSchedulePolicy()
    name: ClassVar[str] = "recompute-tiles"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if runs_lanes(kernel):
                threads, shared = teams_of(kernel).threads, self._shared_bytes(kernel)
                there = rows_there(kernel)
                for block in blocks_of(kernel):
                    changed |= _Room(block, threads, there, shared).make()
        return changed

    def _shared_bytes(self, kernel: Kernel) -> int:
        """Of shared memory for tiles that wait; none where another block could have it."""
        if teams_of(kernel).threads <= _ALONE:
            return 0
        used = 0
        for op in kernel.walk():
            if isinstance(op, memref.Alloca):
                used += allocation_bytes(op)
            elif isinstance(op, _REDUCTIONS):
                used += sum(tile_type(out).size * tile_type(out).element.bytes for out in op.results) * _MOST_WARPS
            elif isinstance(op, _EXCHANGES):
                return 0
        return max(self.policy.shared_bytes - _RESERVED - used, 0)


def registers_of_thread(threads: int) -> int:
    """Of each, if a block of so many has a multiprocessor for itself."""
    return min(_REGISTERS // threads, _MOST_REGISTERS)


def blocks_of(kernel: Kernel) -> Iterator[Block]:
    """The blocks in which a work-group works on tiles."""
    yield kernel.body.entry
    for op in collective(kernel):
        if isinstance(op, scf.For | scf.If | scf.While):
            yield from (region.entry for region in op.regions)


class _Room(Struct):
    """The tiles of one block: `parts` says between which reductions an operation stands, `waits` counts barriers, too.

    There are `shared` bytes of shared memory for spills, of which those of one of the `slots` lie in the same. Once
    `settled`, nothing is recomputed any more.
    """

    block: Block
    threads: int
    there: Mapping[int, int]
    shared: int
    parts: dict[Operation, int] = field(default_factory=dict[Operation, int])
    waits: dict[Operation, int] = field(default_factory=dict[Operation, int])
    copies: dict[tuple[Value, int], Value] = field(default_factory=dict[tuple[Value, int], Value])
    slots: list[list[gpu.Spill]] = field(default_factory=list[list[gpu.Spill]])
    settled: bool = False
    spills: dict[Value, gpu.Spill | None] = field(default_factory=dict[Value, "gpu.Spill | None"])

    def make(self) -> bool:
        """Recompute until there is room or nothing left that is cheap; then spill."""
        part = wait = 0
        for op in self.block:
            self.parts[op], self.waits[op] = part, wait
            part += isinstance(op, (*_REDUCTIONS, tile.Scan, ScanBy))
            wait += isinstance(op, (*_REDUCTIONS, tile.Scan, ScanBy, team.Barrier))
        changed = False
        for choose in (self._unused, self._cheap, self._cheap_or_loaded):
            if part and self._held(self.parts) > _ROOM:
                changed |= self._recompute(choose())
        self.settled = True
        for numbers in (self.parts, self.waits) if part and self.shared else ():
            # assemblers move what is computed for a store behind the barrier, and hold what it is computed of
            room = _ROOM_BESIDE if numbers is self.waits and self._has_many() else _ROOM
            for value in self._across(numbers):
                if self._held(numbers) > room:
                    changed |= self._keep(value)
        return changed

    def _has_many(self) -> bool:
        """Whether a thread has more elements of a tile than there is room for words."""
        tiles = (out for op in self.parts for out in op.results if isinstance(out.type, TileType))
        sizes = (tile_type(out).size for out in tiles)
        return any(self.there.get(size, size) > _ROOM * self.threads for size in sizes)

    def _registers(self, value: Value) -> int:
        """Those that a tile fills; what is a part of one is not worth the trouble."""
        op = value.defining_op
        return self._left(value, op.bytes if isinstance(op, gpu.Spill) else 0)

    def _held(self, numbers: Mapping[Operation, int]) -> int:
        """The most registers that tiles fill at what `numbers` count."""
        last = max(numbers.values())
        at = [0] * (last + 1)
        for op, part in numbers.items():
            for value in op.results:
                until = max((numbers[self._beside(user)] for user in value.uses), default=part)
                for k in range(part, until):
                    at[k] += self._registers(value)
        return max(at)

    def _beside(self, user: Operation) -> Operation:
        """The operation of the block that a user is, or stands in."""
        while user.block is not self.block:
            parent = user.parent_op
            assert parent is not None
            user = parent
        return user

    def _part_of(self, user: Operation) -> int:
        return self.parts[self._beside(user)]

    def _recompute(self, chosen: Mapping[Operation, bool]) -> bool:
        """Let operations take tiles of some others from in front of a reduction once more; whether there were any.

        `chosen` says whether these would be done twice.
        """
        changed = False
        for op in list(self.block):
            for index, value in enumerate(op.operands):
                if self._crosses(value, op, chosen):
                    op.set_operand(index, self._again(value, op, chosen))
                    changed = True
        for op in list(reversed(self.block)) if changed else ():
            if _is_cheap(op) and not op.results[0].uses:
                del self.parts[op], self.waits[op]
                op.erase()
        return changed

    def _unused(self) -> Mapping[Operation, bool]:
        """Cheap operations that nothing needs before the reduction behind them."""
        found: dict[Operation, bool] = {}
        for op in reversed(self.block):
            users = [user for value in op.results for user in value.uses]
            here = [user for user in users if user not in found and self._part_of(user) == self.parts[op]]
            if _is_cheap(op) and not here:
                found[op] = False
        return found

    def _cheap(self) -> Mapping[Operation, bool]:
        """All but loads."""
        return {op: True for op in self.block if _is_cheap(op) and not isinstance(op, tile.Load)}

    def _cheap_or_loaded(self) -> Mapping[Operation, bool]:
        return {op: True for op in self.block if _is_cheap(op)}

    def _crosses(self, value: Value, user: Operation, chosen: Mapping[Operation, bool]) -> bool:
        """Whether a tile comes from in front of a reduction and can be had again."""
        op = value.defining_op
        if op is None or op not in chosen or not self._registers(value) or self.parts[op] == self.parts[user]:
            return False
        return not isinstance(op, tile.Load) or is_quiet(op, user)

    def _again(self, value: Value, user: Operation, chosen: Mapping[Operation, bool]) -> Value:
        """The tile once more in the part of a user."""
        op = value.defining_op
        if isinstance(op, tile.Load) and chosen[op]:
            waiting = self._spilled(value, _ROOM_BESIDE)
            if waiting is not None:
                return waiting.out
        return self._copy(value, user, chosen)

    def _across(self, numbers: Mapping[Operation, int]) -> list[Value]:
        """Tiles that are there across what `numbers` count, the largest first; none that is cheap across reductions."""
        found = [
            value
            for op, number in numbers.items()
            for value in op.results
            if self._registers(value) and not isinstance(op, gpu.Spill) and (numbers is self.waits or not _is_cheap(op))
            if any(numbers[self._beside(user)] > number for user in value.uses)
        ]
        return sorted(found, key=self._registers, reverse=True)

    def _last_wait(self, value: Value) -> int:
        """Behind which wait a tile is needed last, while tiles are recomputed by others that would need it there."""
        last, waiting, seen = 0, [value], {value}
        while waiting:
            for user in waiting.pop().uses:
                last = max(last, self.waits[self._beside(user)])
                if not self.settled and user.block is self.block and _is_cheap(user):
                    waiting += [out for out in user.results if out not in seen]
                    seen.update(user.results)
        return last

    def _keep(self, value: Value) -> bool:
        """Let what needs a tile behind a wait have it from shared memory, if there is any."""
        spill = self._spilled(value, self._registers(value))
        if spill is None:
            return False
        for user in list(dict.fromkeys(value.uses)):
            if self.waits[self._beside(user)] > self.waits[spill]:
                user.replace_operand(value, spill.out)
        return True

    def _spilled(self, value: Value, most: int) -> gpu.Spill | None:
        """The tile in shared memory, but for `most` words of a thread; None if there is no room."""
        if value not in self.spills:
            self.spills[value] = self._new_spill(value, most)
        return self.spills[value]

    def _new_spill(self, value: Value, most: int) -> gpu.Spill | None:
        op = value.defining_op
        assert op is not None
        spill = self._place(value, op, most) if _can_wait(value) else None
        if spill is not None:
            Builder(self.block, op.next, op.location)(spill)
            self.parts[spill], self.waits[spill] = self.parts[op], self.waits[op]
        return spill

    def _place(self, value: Value, op: Operation, most: int) -> gpu.Spill | None:
        """A spill of a tile in the memory of others like it that wait at other times, else in some of its own."""
        first, last, type_ = self.waits[op], self._last_wait(value), tile_type(value)
        for slot in self.slots:
            times = ((self.waits[spill], self._last_wait(spill.out)) for spill in slot)
            apart = all(begin >= last or end <= first for begin, end in times)
            if apart and tile_type(slot[0].out) == type_ and self._left(value, slot[0].bytes) <= most:
                slot.append(gpu.Spill(value, slot[0].bytes))
                return slot[-1]
        step, free = self.threads * _PIECE, self.shared - sum(slot[0].bytes for slot in self.slots)
        wanted = -(-words_of_thread(value, self.threads, self.there) * _WORD // _PIECE) * step
        bytes_ = min(wanted, max(free, 0) // step * step)
        if not bytes_ or self._left(value, bytes_) > most:
            return None
        self.slots.append([gpu.Spill(value, bytes_)])
        return self.slots[-1][0]

    def _left(self, value: Value, bytes_: int) -> int:
        """Words of a thread that stay in registers."""
        return max(words_of_thread(value, self.threads, self.there) - bytes_ // (self.threads * _WORD), 0)

    def _copy(self, value: Value, user: Operation, chosen: Mapping[Operation, bool]) -> Value:
        """The tile once more in the part of a user, in front of it."""
        part = self.parts[user]
        known = self.copies.get((value, part))
        if known is not None:
            return known
        op = value.defining_op
        assert op is not None
        mapping = {o: self._again(o, user, chosen) for o in op.operands if self._crosses(o, user, chosen)}
        copy = op.clone(mapping)
        self.block.insert(copy, user)
        self.parts[copy], self.waits[copy] = part, self.waits[user]
        self.copies[value, part] = copy.results[0]
        return copy.results[0]


def words_of_thread(value: Value, threads: int, there: Mapping[int, int]) -> int:
    """Whole words that a tile fills of each thread; `there` are elements of tiles that are more than memory has."""
    if not isinstance(value.type, TileType):
        return 0
    bits = 8 if value.type.element is BOOL else value.type.element.bytes * 8
    size = there.get(value.type.size, value.type.size)
    return size * bits // (threads * 8 * _WORD)


def _can_wait(value: Value) -> bool:
    """Whether pieces of shared memory are whole elements of a tile."""
    assert isinstance(value.type, TileType)
    element = value.type.element
    return not element.is_complex and element is not BOOL and _PIECE % element.bytes == 0


def _is_cheap(op: Operation) -> bool:
    return isinstance(op, _CHEAP) and not isinstance(op, gpu.Spill) and ELEMENTARY not in op.definition.traits


def is_quiet(load: Operation, user: Operation, barriers: bool = False) -> bool:
    """Whether nothing between two operations of a block writes or synchronises; `barriers` there may be if asked."""
    op = load.next
    while op is not None and op is not user:
        effects = effects_of(op)
        orders = effects is None or any(effect.kind not in _QUIET for effect in effects)
        if orders and not (barriers and isinstance(op, team.Barrier)):
            return False
        op = op.next
    return True
