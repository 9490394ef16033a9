"""Threads of a block: who runs next, who waits for whom; a launch of a grid."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from .accesses import Accesses
from .frame import DONE, Code, Frame, Lanes, Sync, cut
from .groups import GROUP, GroupProduct, factor_offsets, group_product
from .instructions import translate
from .lanes import (
    GROUPS,
    PHASES,
    WARP,
    WHOLE_WARPS,
    all_there,
    completed,
    exited_lanes,
    named_lanes,
    shuffle_source,
)
from .matrices import multiply, spread_rows
from .meetings import NUMBERED, Meetings
from .memory import READABLE, SHARED, WINDOW, WRITABLE, Memory
from .numbers import GARBAGE, Array
from .races import Access, Launched
from .text import EmulatorError, parse

_AXES: Final = "xyz"
_SHARED_SPACE: Final = 3
WHOLE_BLOCK: Final = "llvm.nvvm.barrier.cta.sync.all"


class DeadlockError(EmulatorError):
    """Threads wait for others that never come."""


class Device:
    """Memory, and kernels launched on it.

    `schedule` picks who runs next; without it who stands first in the text. Programs that race on purpose, by storing
    equal numbers at one address for instance, want `races` not to be looked for.
    """

    def __init__(self, schedule: random.Random | None = None, races: bool = True) -> None:
        self.memory = Memory()
        self.schedule, self.races = schedule, races

    def call(self, program: Program, name: str, threads: int, arguments: Sequence[int]) -> None:
        """Let threads run a function, of whichever target, at one time and with the same arguments."""
        block = Block(0, (0, 0, 0), (1, 1, 1))
        team = Team(self, program, program.placed(self.memory), threads, block, Launched(1, WINDOW))
        values = [np.array([argument]) for argument in arguments]
        with np.errstate(all="ignore"):
            team.run(Frame(program.code(name), team, np.arange(threads), values))

    def launch(
        self, program: Program, symbol: str, grid: tuple[int, int, int], slots: bytes, shared_bytes: int
    ) -> None:
        """Run all blocks of a kernel, each with fresh shared memory.

        Raises EmulatorError, RaceError or UndefinedError for what the code may not do.
        """
        code, blocks = program.code(symbol), grid[0] * grid[1] * grid[2]
        threads, given = code.function.threads, code.function.parameters
        parameters = self.memory.allocate(sum(p.bytes for p in given), READABLE)
        parameters.write(slots)
        launched = Launched(blocks, WINDOW)
        addresses = program.placed(self.memory)
        with np.errstate(all="ignore"):
            for number in range(blocks):
                self.memory.share(shared_bytes)
                position = (number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1]))
                team = Team(self, program, addresses, threads, Block(number, position, grid), launched)
                team.run(Frame(code, team, np.arange(threads), [np.array([parameters.address])] * len(given)))
            launched.close()


class Program:
    """A module, its functions translated when first asked for."""

    def __init__(self, text: str) -> None:
        self._module = parse(text)
        self._codes: dict[str, Code] = {}

    def code(self, name: str) -> Code:
        """A function."""
        if name not in self._codes:
            self._codes[name] = cut(self._module.functions[name], translate)
        return self._codes[name]

    def placed(self, memory: Memory) -> dict[str, Array]:
        """Put the globals into memory; their addresses, each in its own space."""
        addresses: dict[str, Array] = {}
        for name, found in self._module.globals.items():
            if found.space == _SHARED_SPACE:
                addresses[name] = np.zeros(1, np.int64)
                continue
            rights = READABLE if found.constant else READABLE | WRITABLE
            place = memory.allocate(len(found.contents), rights)
            place.write(found.contents)
            addresses[name] = np.array([place.address])
        return addresses


class Block(NamedTuple):
    """Which block of the grid: its number, its position, the grid's extents."""

    number: int
    position: tuple[int, int, int]
    grid: tuple[int, int, int]


class Team(Accesses):
    """The threads of a block: who runs next, and the barriers that they have passed."""

    def __init__(
        self,
        device: Device,
        program: Program,
        addresses: Mapping[str, Array],
        threads: int,
        block: Block,
        launched: Launched,
    ) -> None:
        super().__init__(device.memory, threads)
        self._device, self._program, self._addresses = device, program, addresses
        self._launched, self._block = launched, block
        self._masks = np.zeros(threads, np.int64)
        self._meetings = Meetings()

    # What instructions ask for

    def arrive(self, threads: Array, numbers: Array, counts: Array) -> None:
        """Arrive at barriers of these numbers, for so many threads each, without waiting."""
        self._meetings.arrive(threads, numbers, counts)

    def address_of(self, name: str) -> Array:
        """The address of a global, in its own space."""
        return self._addresses[name]

    def special(self, register: str, threads: Array) -> Array:
        """A special register of PTX."""
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
        """Run a kernel to its end."""
        waits = np.array([segment.sync is not None for segment in frame.code.segments])
        while True:
            running = np.flatnonzero(frame.places != DONE)
            if not len(running):
                break
            ready = running[~waits[frame.places[running]]]
            if len(ready):
                frame.run(*self._next(frame, ready))
            elif not self._released(frame, running):
                self._barrier(frame, running)
        self._close()

    def _next(self, frame: Frame, ready: Array) -> tuple[Array, int]:
        """Threads that stand at one place, all of them or those of some warps, and how far they go."""
        places = frame.places[ready]
        schedule = self._device.schedule
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
        if self._device.races:
            self._launched.add(self._block.number, self._epoch.close(self._masks))

    def _barrier(self, frame: Frame, running: Array) -> None:
        """Let all go on if all threads of the block have arrived."""
        segments = frame.code.segments
        places: set[int] = set(frame.places[running].tolist())
        names = {sync.name for place in places if (sync := segments[place].sync)}
        if names != {WHOLE_BLOCK}:
            raise DeadlockError(f"threads wait at {', '.join(sorted(names))}")
        if len(running) + frame.exited.sum() != len(frame.places):
            raise DeadlockError("a barrier waits for threads that have returned")
        self._close()
        self._products.barrier()
        self._turns = self._turns + 1
        frame.places[running] += 1

    def _released(self, frame: Frame, running: Array) -> bool:
        """Carry out the shuffles and warp barriers at which all lanes that they name have arrived."""
        went = False
        places: set[int] = set(frame.places[running].tolist())
        for place in sorted(places):
            sync = frame.code.segments[place].sync
            assert sync is not None
            if sync.name == WHOLE_BLOCK:
                continue
            here = running[frame.places[running] == place]
            lanes = Lanes(frame, here)
            if sync.name == NUMBERED:
                going = here[self._meetings.released(sync, lanes)]
                frame.places[going] += 1
                went |= len(going) > 0
                continue
            if sync.name.startswith(PHASES):
                went |= self._phases(frame, sync, lanes)
                continue
            masks = named_lanes(lanes, sync)
            if np.any(masks >> here % WARP & 1 == 0):
                raise EmulatorError(f"a thread is not among the lanes that it names at {sync.name}")
            awaited = masks if sync.name.startswith(WHOLE_WARPS) else masks & ~exited_lanes(frame)[here // WARP]
            complete = np.ones(len(here), np.bool_) if all_there(here, awaited) else completed(here, awaited)
            if sync.name.startswith(GROUPS):
                arrived = np.bincount(here // GROUP, weights=complete, minlength=len(frame.places) // GROUP + 1)
                complete = arrived[here // GROUP] == GROUP
            if np.any(complete):
                self._exchange(frame, sync, here[complete], masks[complete])
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
        frame.keep(sync.result, lanes.index[ended], np.ones(int(ended.sum()), np.bool_))
        frame.places[lanes.index[ended]] += 1
        return bool(ended.any())

    def _exchange(self, frame: Frame, sync: Sync, here: Array, masks: Array) -> None:
        lanes = Lanes(frame, here)
        if sync.name.startswith(GROUPS):
            self._multiply_by_groups(frame, sync, here)
        elif sync.name.startswith("llvm.nvvm.stmatrix"):
            self._store_matrices(here, [lanes.full(x).reshape(-1, WARP) for x in sync.operands])
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
        else:
            mode = sync.name.split(".")[4]
            word, position, bounds = (lanes.full(x) for x in sync.operands[1:])
            source = here - here % WARP + shuffle_source(mode, here % WARP, position, bounds)
            if np.any(masks >> source % WARP & 1 == 0):
                raise EmulatorError("a shuffle reads from a lane that does not take part")
            # lanes that have exited give anything
            everyone = np.full(len(frame.places) * word.itemsize, GARBAGE, np.uint8).view(word.dtype)
            everyone[here] = word
            frame.keep(sync.result, here, everyone[source])
        frame.places[here] += 1

    def _multiply_by_groups(self, frame: Frame, sync: Sync, here: Array) -> None:
        """Products of four warps each, whose factors lie where descriptors say."""
        lanes = Lanes(frame, here)
        held, *given = (lanes.full(x) for x in sync.operands)
        count = int(held[0])
        left, right, sums, turned = given[:count], given[count], given[count + 1 : -2 + (count > 1)], given[-2:]
        product = group_product(sync.name)
        found = [part.copy() for part in sums]
        for first in range(0, len(here), GROUP):
            mine = slice(first, first + GROUP)
            if count > 1:
                a = product.rows_held([word[mine] for word in left])
            else:
                a = self._read_factor(here[first], int(left[0][first]), product.rows, product, bool(turned[0][first]))
            b = self._read_factor(here[first], int(right[first]), product.columns, product, bool(turned[1][first]))
            c = product.added([part[mine] for part in sums], a, b)
            for part, new in zip(found, c, strict=True):
                part[mine] = new
        for k, part in enumerate(found):
            frame.keep(f"{sync.result}.{k}", here, part)

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

    def _store_matrices(self, here: Array, operands: Sequence[Array]) -> None:
        """Four matrices of eight rows of 16 bytes; lane 8 i + j says where row j of matrix i lies."""
        threads, addresses = here.reshape(-1, WARP), operands[0].astype(np.int64) + SHARED
        lanes = np.arange(WARP)
        for k, words in enumerate(operands[1:]):
            rows = addresses[:, 8 * k + lanes // 4] + lanes % 4 * 4
            if np.any(addresses[:, 8 * k : 8 * k + 8] % 16):
                raise EmulatorError("a row of a matrix is not aligned to its bytes")
            self.store(threads.reshape(-1), rows.reshape(-1), words.reshape(-1).astype(np.int32), 4, Access.WRITE)
