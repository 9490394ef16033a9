"""Threads of a block: who runs next, who waits for whom."""

from __future__ import annotations

import random
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from .accesses import Accesses
from .clusters import MEETING, Cluster
from .frame import DONE, Frame, Lanes, Sync
from .groups import GROUP, GroupProduct, Multiplication, factor_offsets, group_product
from .lanes import (
    GROUPS,
    PHASES,
    WARP,
    WHOLE_WARPS,
    are_whole,
    completed,
    exited_lanes,
    named_lanes,
    names_all,
    shuffle_source,
    whole_masks,
)
from .matrices import multiply, spread_rows
from .meetings import COUNTED, NUMBERED, Meetings
from .memory import SHARED, WINDOW, Memory
from .numbers import GARBAGE, Array
from .program import Program
from .races import Access, Launched
from .text import EmulatorError

_AXES: Final = "xyz"
WHOLE_BLOCK: Final = "llvm.nvvm.barrier.cta.sync.all"


class DeadlockError(EmulatorError):
    """Threads wait for others that never come."""


class Rules(NamedTuple):
    """Who runs next, where nothing is said who stands first in the text; whether races are looked for."""

    schedule: random.Random | None
    races: bool


class Block(NamedTuple):
    """Which block of the grid: its number, its position, the grid's extents."""

    number: int
    position: tuple[int, int, int]
    grid: tuple[int, int, int]


class Placed(NamedTuple):
    """Code in the memory of a device, as blocks of so many threads run it."""

    memory: Memory
    rules: Rules
    program: Program
    addresses: Mapping[str, Array]
    threads: int
    launched: Launched


class Team(Accesses):
    """The threads of a block: who runs next, and the barriers that they have passed."""

    def __init__(self, code: Placed, block: Block, cluster: Cluster) -> None:
        super().__init__(code.memory, code.threads, cluster)
        self._rules, self._program, self._addresses = code.rules, code.program, code.addresses
        self._launched, self._block, self._rank = code.launched, block, len(cluster.members)
        self._masks = np.zeros(code.threads, np.int64)
        self._meetings = Meetings()

    # What instructions ask for

    def load(self, threads: Array, addresses: Array, dtype: np.dtype[Any], align: int, access: int) -> Array:
        if not access & Access.ACQUIRE:
            return super().load(threads, addresses, dtype, align, access)
        offsets = self._memory.offsets(addresses, dtype.itemsize, align, access)
        if not self._launched.comes_early(self._block.number, threads, offsets):
            return super().load(threads, addresses, dtype, align, access)
        found = super().load(threads, addresses, dtype, align, access & ~Access.ACQUIRE)
        return self._launched.before(offsets, found)

    def store(self, threads: Array, addresses: Array, values: Array, align: int, access: int) -> None:
        if access & Access.RELEASE:
            size = values.dtype.itemsize
            offsets = self._memory.offsets(addresses, size, align, access)
            self._launched.release(self._block.number, offsets, self._memory.view(values.dtype)[offsets // size])
        super().store(threads, addresses, values, align, access)

    def arrive(self, threads: Array, numbers: Array, counts: Array) -> None:
        """Arrive at barriers of these numbers, for so many threads each, without waiting."""
        self._meetings.arrive(threads, numbers, counts)

    def address_of(self, name: str) -> Array:
        """The address of a global, in its own space."""
        return self._addresses[name]

    def special(self, register: str, threads: Array) -> Array:
        """A special register of PTX."""
        if register == "cluster.ctarank":
            return np.array([self._rank], np.int32)
        name, _, axis = register.partition(".")
        k = _AXES.index(axis)
        match name:
            case "tid":
                return threads.astype(np.int32) if k == 0 else np.zeros(1, np.int32)
            case "ctaid":
                return np.array([self._block.position[k]], np.int32)
            case "nctaid":
                return np.array([self._block.grid[k]], np.int32)
            case _:
                raise EmulatorError(f"unknown register: {register}")

    def call(self, name: str, threads: Array, arguments: Sequence[Array]) -> list[Array]:
        """Run a function that does not wait for other threads."""
        frame = Frame(self._program.code(name), self, threads, arguments)
        while True:
            place = int(frame.places.min())
            if place == DONE:
                return frame.results
            if frame.code.segments[place].sync:
                raise EmulatorError(f"@{name} waits for other threads")
            here = frame.places == place
            frame.run(np.flatnonzero(here), frame.places[~here].min(initial=DONE))

    # Scheduling

    def run(self, frame: Frame) -> None:
        """Run a kernel to its end, of a block that waits for no others."""
        for _ in self.steps(frame):
            raise DeadlockError("threads wait for others that there are not")

    def steps(self, frame: Frame) -> Generator[bool]:
        """Run a kernel to its end, until it waits for other blocks: each time whether it went on since the last."""
        went = False
        waits = frame.code.waits
        while True:
            (running,) = (frame.places != DONE).nonzero()
            if not len(running):
                break
            ready = running[~waits[frame.places[running]]]
            if len(ready):
                frame.run(*self._next(frame, ready))
                went = True
            elif self._released(frame, running):
                went = True
            elif self._waits_for_blocks(frame, running):
                yield went
                went = False
            else:
                self._barrier(frame, running)
                went = True
        self._close()

    def _next(self, frame: Frame, ready: Array) -> tuple[Array, int]:
        """Threads that stand at one place, all of them or those of some warps, and how far they go."""
        places = frame.places[ready]
        schedule = self._rules.schedule
        if schedule is None:
            first = places == np.minimum.reduce(places)
            if np.logical_and.reduce(first):
                return ready, DONE
            return ready[first], int(np.minimum.reduce(places[~first]))
        chosen = ready[places == schedule.choice(sorted(set(places.tolist())))]
        warps = sorted(set((chosen // WARP).tolist()))
        some = schedule.sample(warps, schedule.randint(1, len(warps)))
        return chosen[np.isin(chosen // WARP, some)], schedule.choice((0, DONE))

    def _close(self) -> None:
        if self._rules.races:
            self._launched.add(self._block.number, self._epoch.close(self._masks))

    def _barrier(self, frame: Frame, running: Array) -> None:
        """Let all go on if all threads of the block have arrived."""
        segments = frame.code.segments
        places: set[int] = set(frame.places[running].tolist())
        names = {sync.name for place in places if (sync := segments[place].sync)}
        if names not in ({WHOLE_BLOCK}, {MEETING}):
            raise DeadlockError(f"threads wait at {', '.join(sorted(names))}")
        # threads of a cluster wait for those that have not ended
        if names == {WHOLE_BLOCK} and len(running) + frame.exited.sum() != len(frame.places):
            raise DeadlockError("a barrier waits for threads that have returned")
        self._close()
        self._products.barrier()
        self._turns = self._turns + 1
        frame.places[running] += 1

    def _waits_for_blocks(self, frame: Frame, running: Array) -> bool:
        """Whether other blocks of the cluster may let threads go on that wait."""
        if len(self._cluster.members) < 2:
            return False
        self._cluster.members[self._rank].gone = frame.places == DONE
        segments = frame.code.segments
        places: set[int] = set(frame.places[running].tolist())
        names = {sync.name for place in places if (sync := segments[place].sync)}
        if names == {MEETING}:
            return not self._cluster.have_met(self._rank)
        return any(name.startswith(PHASES) for name in names)

    def arrive_together(self, threads: Array) -> None:
        """Arrive where all threads of the cluster do."""
        self._cluster.members[self._rank].arrived[threads] += 1

    def _released(self, frame: Frame, running: Array) -> bool:
        """Carry out the shuffles and warp barriers at which all lanes that they name have arrived."""
        went = False
        waiting: dict[tuple[int, int], list[Array]] = {}
        places: set[int] = set(frame.places[running].tolist())
        for place in sorted(places):
            sync = frame.code.segments[place].sync
            assert sync is not None
            if sync.name in (WHOLE_BLOCK, MEETING):
                continue
            here = running[frame.places[running] == place]
            lanes = Lanes(frame, here)
            if sync.name == COUNTED:
                number, count = (int(lanes.full(operand)[0]) for operand in sync.operands)
                waiting.setdefault((number, count), []).append(here)
                continue
            if sync.name == NUMBERED:
                going = here[self._meetings.released(sync, lanes)]
                frame.places[going] += 1
                went |= len(going) > 0
                continue
            if sync.name.startswith(PHASES):
                went |= self._phases(frame, sync, lanes)
                continue
            if names_all(sync) and are_whole(here, GROUP if sync.name.startswith(GROUPS) else WARP):
                self._exchange(frame, sync, here, whole_masks(len(here)))
                went = True
                continue
            masks = named_lanes(lanes, sync)
            if np.any(masks >> here % WARP & 1 == 0):
                raise EmulatorError(f"a thread is not among the lanes that it names at {sync.name}")
            awaited = masks if sync.name.startswith(WHOLE_WARPS) else masks & ~exited_lanes(frame)[here // WARP]
            complete = completed(here, awaited)
            if sync.name.startswith(GROUPS):
                arrived = np.bincount(here // GROUP, weights=complete, minlength=len(frame.places) // GROUP + 1)
                complete = arrived[here // GROUP] == GROUP
            if np.any(complete):
                self._exchange(frame, sync, here[complete], masks[complete])
                went = True
        return self._meet(frame, waiting) or went

    def _meet(self, frame: Frame, waiting: Mapping[tuple[int, int], list[Array]]) -> bool:
        """Let those go on who wait at a barrier for so many threads if all of them do, wherever that is in the code.

        The others of the block touch memory by units of the machine alone.
        """
        went = False
        if len({number for number, _ in waiting}) < len(waiting):
            said = ", ".join(f"{number} for {count}" for number, count in sorted(waiting))
            raise EmulatorError(f"threads wait at one barrier for several counts of them: {said}")
        for (_, count), found in waiting.items():
            threads = np.concatenate(found)
            if len(threads) > count:
                raise EmulatorError(f"{len(threads)} threads wait at a barrier for {count}")
            if len(threads) == count:
                self._close()
                self._products.barrier()
                self._turns = self._turns + 1
                frame.places[threads] += 1
                went = True
        return went

    def _phases(self, frame: Frame, sync: Sync, lanes: Lanes) -> bool:
        """Let those go on whose phases have ended; whether there are some."""
        places, parities = (lanes.full(x).astype(np.int64) for x in sync.operands)
        ended = np.zeros(len(places), np.bool_)
        for place, parity in set(zip((places + SHARED).tolist(), parities.tolist(), strict=True)):
            if self._barriers.ends(place, parity):
                ended |= (places + SHARED == place) & (parities == parity)
        for thread, place in zip(lanes.threads[ended].tolist(), (places[ended] + SHARED).tolist(), strict=True):
            self._products.learn(thread, place)
            self._readers.learn(thread, place)
        frame.keep(sync.result, lanes.index[ended], np.ones(int(ended.sum()), np.bool_))
        frame.places[lanes.index[ended]] += 1
        return bool(ended.any())

    def _exchange(self, frame: Frame, sync: Sync, here: Array, masks: Array) -> None:
        lanes = Lanes(frame, here)
        if sync.name.startswith(GROUPS):
            self._multiply_by_groups(frame, sync, here)
        elif sync.name.startswith("llvm.nvvm.stmatrix"):
            self._store_matrices(sync.name, here, [lanes.full(x).reshape(-1, WARP) for x in sync.operands])
        elif sync.name.startswith(WHOLE_WARPS):
            operands = [lanes.full(x).reshape(-1, WARP) for x in sync.operands]
            load = sync.name.startswith("llvm.nvvm.ldmatrix")
            found = self._load_matrices(sync.name, here, operands[0]) if load else multiply(sync.name[14:], operands)
            for k, part in enumerate(found):
                name = sync.result if len(found) == 1 else f"{sync.result}.{k}"
                frame.keep(name, here, part.reshape(-1))
        elif sync.name == "llvm.nvvm.bar.warp.sync":
            self._masks[here] = masks
            self._turns = self._turns.copy()
            self._turns[here] += 1
        elif sync.name == "llvm.nvvm.elect.sync":
            # the first lane that is named; whoever is it says the first part
            frame.keep(f"{sync.result}.1", here, masks & -masks == 1 << here % WARP)
        elif sync.name == "llvm.nvvm.vote.all.sync":
            votes = lanes.full(sync.operands[1])
            warps = here // WARP
            frame.keep(sync.result, here, np.array([votes[warps == warp].all() for warp in warps]))
        else:
            mode = sync.name.split(".")[4]
            word, position, bounds = (lanes.full(x) for x in sync.operands[1:])
            source = here - here % WARP + shuffle_source(mode, here % WARP, position, bounds)
            if not names_all(sync) and np.any(masks >> source % WARP & 1 == 0):
                raise EmulatorError("a shuffle reads from a lane that does not take part")
            if are_whole(here):
                found = word[source - here[0]]
            else:
                # lanes that have exited give anything
                everyone = np.full(len(frame.places) * word.itemsize, GARBAGE, np.uint8).view(word.dtype)
                everyone[here] = word
                found = everyone[source]
            frame.keep(sync.result, here, found)
        frame.places[here] += 1

    def _multiply_by_groups(self, frame: Frame, sync: Sync, here: Array) -> None:
        """Products of four warps each, one after the other, whose factors lie where descriptors say."""
        lanes = Lanes(frame, here)
        values = [lanes.full(x) for x in sync.operands]
        results = 1 + max(each.sums.stop - 1 for each in sync.products)
        told = 1 + max(max(*each.rows, each.columns) for each in sync.products)
        found = [part.copy() for part in values[told:]] or self._zeros(sync.products[0], results, len(here))
        for each in sync.products:
            product, sums = group_product(each.name), [found[k] for k in each.sums]
            is_held = len(each.rows) > 1
            if each.anew:
                sums = [np.zeros_like(part) for part in sums]
            for first in range(0, len(here), GROUP):
                mine = slice(first, first + GROUP)
                if is_held:
                    a = product.rows_held([values[k][mine] for k in each.rows])
                else:
                    at = int(values[each.rows[0]][first])
                    a = self._read_factor(here[first], at, product.rows, product, each.turned[0])
                at = int(values[each.columns][first])
                b = self._read_factor(here[first], at, product.columns, product, each.turned[1])
                added = product.added([part[mine] for part in sums], a, b)
                for k, new in zip(each.sums, added, strict=True):
                    found[k][mine] = new
        for k, part in enumerate(found):
            frame.keep(f"{sync.result}.{k}", here, part)

    def _zeros(self, first: Multiplication, count: int, threads: int) -> list[Array]:
        """What sums are that nothing is said of."""
        return [np.full(threads * 4, GARBAGE, np.uint8).view(group_product(first.name).total) for _ in range(count)]

    def _read_factor(self, thread: int, descriptor: int, outer: int, product: GroupProduct, turned: bool) -> Array:
        """Elements [outer, k] of a factor, read by one thread of the group."""
        offsets, size = factor_offsets(descriptor, outer, product, turned), product.factor.itemsize
        self._unshown.check(offsets.reshape(-1), size)
        group = np.arange(thread, thread + GROUP)
        self._products.begin(group, (offsets.reshape(-1)[:, None] + np.arange(size) + WINDOW).reshape(-1))
        places = offsets.reshape(-1) + SHARED
        words = self.load(
            np.full(offsets.size, thread), places, np.dtype(f"i{size}"), size, Access.READ | Access.PRODUCT
        )
        return words.reshape(offsets.shape).view(product.factor)

    def _load_matrices(self, name: str, here: Array, addresses: Array) -> list[Array]:
        """Matrices of eight rows of 16 bytes; lane 8 i + j knows where row j of matrix i lies."""
        words = name.split(".")
        count, transposed = int(words[6][1:]), words[7] == "trans"
        threads = here.reshape(-1, WARP)[:, : 8 * count]
        rows = addresses[:, : 8 * count].reshape(-1) + SHARED
        chunks = [
            self.load(threads.reshape(-1), rows + 8 * k, np.dtype(np.int64), 16 if k == 0 else 8, Access.READ)
            for k in range(2)
        ]
        halves = np.stack(chunks, axis=-1).view(np.int16).reshape(-1, count, 8, 8)
        return [spread_rows(halves[:, k], transposed) for k in range(count)]

    def _store_matrices(self, name: str, here: Array, operands: Sequence[Array]) -> None:
        """Four matrices of eight rows of 16 bytes; lane 8 i + j says where row j of matrix i lies, or column j."""
        threads, addresses = here.reshape(-1, WARP), operands[0].astype(np.int64) + SHARED
        lanes = np.arange(WARP)
        for k, words in enumerate(operands[1:]):
            rows = addresses[:, 8 * k + lanes // 4] + lanes % 4 * 4
            if np.any(addresses[:, 8 * k : 8 * k + 8] % 16):
                raise EmulatorError("a row of a matrix is not aligned to its bytes")
            held = words.astype(np.int32)
            if ".trans." in name:
                halves = held.view(np.int16).reshape(-1, 8, 8).transpose(0, 2, 1)
                held = np.ascontiguousarray(halves).view(np.int32)
            self.store(threads.reshape(-1), rows.reshape(-1), held.reshape(-1), 4, Access.WRITE)
