"""Functions cut into segments, and the registers of the threads that run one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, Protocol, TypeAlias

import numpy as np

from .groups import Multiplication
from .numbers import Array, literal
from .text import Block, EmulatorError, Function, Instruction, Phi, split, typed

_NAME: Final = re.compile(r"%[\w.$]+")
MOST_SEGMENTS = 1 << 23
"""Who runs more is in a loop without an end: two threads that multiply tiles of 64x128 and 128x64 run 1.4 million."""
DONE: Final = np.iinfo(np.int64).max
"""The place of a thread that has returned."""
_EXIT: Final = 'void asm sideeffect "exit;", ""()'


Operand: TypeAlias = str
"""A register (`%x`), a global (`@x`), or a number with its type (`i32 5`)."""


class Machine(Protocol):
    """What instructions ask for beside registers."""

    def address_of(self, name: str) -> Array:
        """The address of a global, in its own space."""
        ...

    def special(self, register: str, threads: Array) -> Array:
        """A special register of PTX."""
        ...

    def load(self, threads: Array, addresses: Array, dtype: np.dtype[Any], align: int, access: int) -> Array:
        """Read one number a thread."""
        ...

    def store(self, threads: Array, addresses: Array, values: Array, align: int, access: int) -> None:
        """Write one number a thread."""
        ...

    def load_vector(
        self, threads: Array, addresses: Array, dtype: np.dtype[Any], count: int, align: int
    ) -> list[Array]:
        """Read so many neighbouring numbers a thread."""
        ...

    def store_vector(self, threads: Array, addresses: Array, values: Sequence[Array], align: int) -> None:
        """Write so many neighbouring numbers a thread."""
        ...

    def update(
        self, threads: Array, addresses: Array, dtype: np.dtype[Any], access: int, new: Callable[[slice, Array], Array]
    ) -> Array:
        """Let one thread after the other replace a number; the old ones."""
        ...

    def copy_later(self, threads: Array, target: Array, source: Array, size: int, given: Array) -> None:
        """Begin to copy `given` bytes, zeros behind them, to shared memory."""
        ...

    def commit_copies(self, threads: Array) -> None:
        """Make a group of the copies begun."""
        ...

    def await_copies(self, threads: Array, pending: int) -> None:
        """End all groups of copies but so many."""
        ...

    def arrive(self, threads: Array, numbers: Array, counts: Array) -> None:
        """Arrive at barriers of these numbers, for so many threads each, without waiting."""
        ...

    def arrive_behind_products(self, thread: int, place: int) -> None:
        """Arrive at a barrier, behind the products that the thread has awaited."""
        ...

    def open_barrier(self, place: int, arrivals: int) -> None:
        """Make a barrier that counts copies of a word of shared memory."""
        ...

    def close_barrier(self, place: int) -> None:
        """Make a word of a barrier."""
        ...

    def expect(self, place: int, count: int) -> None:
        """Arrive at a barrier, and tell how many bytes more its phase has."""
        ...

    def copy_box(self, thread: int, place: int, target: int, pointer: int, start: tuple[int, ...]) -> None:
        """Begin to copy a box of a matrix."""
        ...

    def copy_box_to(self, thread: int, mask: int, place: tuple[int, int, int], start: tuple[int, ...]) -> None:
        """Begin to copy a box of a matrix to several blocks of the cluster."""
        ...

    def arrive_at(self, thread: int, address: int) -> None:
        """Arrive at a barrier of a block of the cluster."""
        ...

    def arrive_together(self, threads: Array) -> None:
        """Arrive where all threads of the cluster do."""
        ...

    def store_box(self, thread: int, slab: int, pointer: int, start: tuple[int, ...]) -> None:
        """Begin to store a box of a matrix from shared memory."""
        ...

    def commit_stores(self, threads: Array) -> None:
        """Make a group of the boxes begun."""
        ...

    def await_stores(self, threads: Array, pending: int) -> None:
        """Store all groups of boxes but so many."""
        ...

    def commit_products(self, threads: Array) -> None:
        """Make a group of the products begun."""
        ...

    def await_products(self, threads: Array, pending: int) -> None:
        """End all groups of products but so many."""
        ...

    def show_writes(self, threads: Array) -> None:
        """Let instructions that read memory by themselves see what was written."""
        ...

    def call(self, name: str, threads: Array, arguments: Sequence[Array]) -> list[Array]:
        """Run a function."""
        ...


class Lanes(dict[Operand, Array]):
    """The threads that run together: their numbers in the frame, and the operands that they have at hand.

    An operand has one entry a thread or one for all. One that is not at hand is what the threads have in that register,
    the address of that global, or that number.
    """

    __slots__ = ("frame", "index", "parts", "team", "threads")

    def __init__(self, frame: Frame, index: Array) -> None:
        super().__init__()
        self.frame, self.team, self.index = frame, frame.team, index
        self.threads: Array = frame.threads[index]
        """The threads' numbers in the block."""
        self.parts: dict[str, list[Array]] = {}

    def __missing__(self, operand: Operand) -> Array:
        match operand[0]:
            case "%":
                found = self.frame.registers[operand][self.index]
            case "@":
                found = self.team.address_of(operand[1:])
            case _:
                found = literal(operand)
        self[operand] = found
        return found

    def full(self, operand: Operand) -> Array:
        """One entry a thread."""
        value, count = self[operand], len(self.index)
        return value if len(value) == count else value.repeat(count)


Step: TypeAlias = Callable[[Lanes], None]


@dataclass(frozen=True, slots=True)
class Sync:
    """An instruction that waits for others: its name, operands and the name it defines; an assembly has products."""

    name: str
    operands: Sequence[Operand]
    result: str
    products: Sequence[Multiplication] = ()


class Jump(NamedTuple):
    """Where to go on: to a block, with what its phis become."""

    label: str
    phis: Sequence[tuple[str, Operand]]


class Branch(NamedTuple):
    """The end of a block: one target, or two by a condition."""

    condition: Operand | None
    targets: Sequence[Jump]


class Return(NamedTuple):
    """The end of a function: so many results, of one operand or of the parts of a struct."""

    results: int
    operand: Operand

    def values(self, lanes: Lanes) -> Sequence[Array]:
        """What is returned."""
        return [lanes[self.operand]] if self.results == 1 else lanes.parts[self.operand] if self.results else []


@dataclass(frozen=True)
class Exit:
    """The end of a thread for which nobody waits from here on."""


@dataclass(slots=True)
class Segment:
    """Instructions that a thread runs without waiting. One with `sync` is that instruction alone."""

    steps: list[Step] = field(default_factory=list[Step])
    sync: Sync | None = None
    end: Branch | Return | Exit | None = None
    """How to go on: a branch, a return with values, an exit, or None for the next segment."""
    reads: set[str] = field(default_factory=set[str])
    defines: set[str] = field(default_factory=set[str])
    kept: list[str] = field(default_factory=list[str])
    """The names defined here that other segments read."""


@dataclass(slots=True)
class Code:
    """A function as segments in the order of its text."""

    function: Function
    segments: list[Segment]
    starts: dict[str, int]
    waits: Array = field(init=False)
    """Which of the segments are one instruction that waits."""

    def __post_init__(self) -> None:
        self.waits = np.array([segment.sync is not None for segment in self.segments])


def operand(ltype: str, text: str) -> Operand:
    """An operand and its type. Raises EmulatorError for what is no number of that type."""
    if text[0] in "%@":
        return text
    number = f"{ltype} {text}"
    literal(number)
    return number


def typed_operand(text: str) -> Operand:
    """An operand written with its type."""
    return operand(*typed(text))


class Frame:
    """A call: its threads, where each stands, what each holds in registers, what each returned."""

    def __init__(self, code: Code, team: Machine, threads: Array, arguments: Sequence[Array]) -> None:
        self.code, self.team, self.threads = code, team, threads
        self.registers: dict[str, Array] = {}
        self.places = np.zeros(len(threads), np.int64)
        self.exited = np.zeros(len(threads), np.bool_)
        """The threads that ended where nobody waits for them."""
        self.results: list[Array] = []
        self._left = MOST_SEGMENTS
        everyone = np.arange(len(threads))
        for parameter, argument in zip(code.function.parameters, arguments, strict=True):
            self.keep(parameter.name, everyone, argument)

    def keep(self, name: str, index: Array, value: Array) -> None:
        """Put a value into a register of some threads."""
        found = self.registers.get(name)
        if found is None:
            found = self.registers[name] = np.zeros(len(self.threads), value.dtype)
        found[index] = value

    def run(self, index: Array, until: int) -> None:
        """Run threads that stand at one place until they part, wait, return, or come to the place `until` or behind."""
        lanes, place = Lanes(self, index), int(self.places[index[0]])
        segments, starts = self.code.segments, self.code.starts
        dirty: set[str] = set()
        while True:
            self._left -= 1
            if not self._left:
                raise EmulatorError("the threads do not come to an end")
            segment = segments[place]
            for step in segment.steps:
                step(lanes)
            dirty.update(segment.kept)
            end = segment.end
            if not isinstance(end, Branch):
                break
            target = end.targets[0]
            if end.condition is not None:
                holds = lanes[end.condition]
                chosen = np.count_nonzero(holds)
                if not chosen:
                    target = end.targets[1]
                elif chosen < len(holds):
                    self._part(lanes, dirty, end, holds)
                    return
            _move(lanes, target)
            dirty.update(name for name, _ in target.phis)
            place = starts[target.label]
            if place >= until:
                break
        self._put_down(lanes, dirty)
        if end is None:
            self.places[index] = place + 1
        elif isinstance(end, Branch):
            self.places[index] = place
        elif isinstance(end, Exit):
            self.places[index], self.exited[index] = DONE, True
        else:
            self._return(index, end.values(lanes))

    def _put_down(self, lanes: Lanes, names: set[str]) -> None:
        for name in names:
            self.keep(name, lanes.index, lanes[name])

    def _part(self, lanes: Lanes, dirty: set[str], end: Branch, holds: Array) -> None:
        self._put_down(lanes, dirty)
        for target, chosen in zip(end.targets, (holds, ~holds), strict=True):
            index = lanes.index[chosen]
            for name, value in [(name, lanes.full(value)) for name, value in target.phis]:
                self.keep(name, index, value[chosen])
            self.places[index] = self.code.starts[target.label]

    def _return(self, index: Array, values: Sequence[Array]) -> None:
        if not self.results:
            self.results = [np.zeros(len(self.threads), value.dtype) for value in values]
        for result, value in zip(self.results, values, strict=True):
            result[index] = value
        self.places[index] = DONE


def _move(lanes: Lanes, target: Jump) -> None:
    """Give the phis of a block their values, all at once."""
    if target.phis:
        lanes.update([(name, lanes[value]) for name, value in target.phis])


def cut(function: Function, translate: Callable[[Instruction], Step | Sync]) -> Code:
    """Cut a function before and behind each instruction that waits for other threads."""
    segments, starts = list[Segment](), dict[str, int]()
    phis = {block.label: block.phis for block in function.blocks}
    handed = defaultdict[str, list[str]](list)
    for phi in (phi for found in phis.values() for phi in found):
        for label, name in phi.incoming.items():
            handed[label].append(name)
    for block in function.blocks:
        starts[block.label] = len(segments)
        segments += _cut_block(block, phis, handed[block.label], translate, function.results)
    readers = Counter(name for segment in segments for name in segment.reads)
    for segment in segments:
        segment.kept = [name for name in segment.defines if readers[name] > (name in segment.reads)]
    return Code(function, segments, starts)


def _cut_block(
    block: Block,
    phis: dict[str, list[Phi]],
    handed: Sequence[str],
    translate: Callable[[Instruction], Step | Sync],
    results: int,
) -> list[Segment]:
    """`handed`: what phis take from the block."""
    segments = [Segment()]
    for instruction in block.instructions:
        used = set(_NAME.findall(instruction.rest))
        last = segments[-1]
        match instruction.word:
            case "br":
                last.end = _branch(block.label, instruction.rest, phis)
                used.update(handed)
            case "call" if instruction.rest == _EXIT:
                continue  # what follows is unreachable
            case "unreachable":
                last.end = Exit()
            case "ret":
                last.end = _returned(instruction.rest, results)
            case _:
                step = translate(instruction)
                if isinstance(step, Sync):
                    segments += [Segment(sync=step, reads=used), Segment()]
                    continue
                last.steps.append(step)
                if instruction.result:
                    last.defines.add(instruction.result)
        last.reads |= used
    return segments


def _branch(label: str, rest: str, phis: dict[str, list[Phi]]) -> Branch:
    parts = [part for part in split(rest) if not part.startswith("!")]
    targets = [part.removeprefix("label %") for part in parts if part.startswith("label ")]
    jumps = [Jump(t, [(phi.result, operand(phi.type, phi.incoming[label])) for phi in phis[t]]) for t in targets]
    return Branch(None if len(jumps) == 1 else typed_operand(parts[0]), jumps)


def _returned(rest: str, results: int) -> Return:
    if rest == "void":
        return Return(0, "")
    _, name = typed(rest)
    if results > 1 and name[0] != "%":
        raise EmulatorError(f"a struct is returned as {name}")
    return Return(results, typed_operand(rest))
