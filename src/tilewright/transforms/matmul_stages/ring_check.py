"""Whether a ring of places holds what products need: its steps are gone through, as one thread of each warp sees them.

A tile in a place is known by the step that it is of. It is there when its copies have been awaited and a barrier has
let all threads say so; from then on fragments may be read of it, and behind the next barrier it may be replaced. An
accumulator is known by its rows and columns and by how many slices along k have been added to it: the next product has
to be of the slice that follows. Of many steps some in the middle are left out, as places come again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct, field

from tilewright.dialects.mlir import affine, gpu, mma, nvgpu, vector
from tilewright.dialects.mlir.base import shape_of
from tilewright.ir.core import Operation, Value
from tilewright.transforms.matmul_stages.copies import is_shared, stored_by
from tilewright.transforms.matmul_stages.index_values import Column, column
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix
from tilewright.transforms.matmul_stages.nests import inside, numbers, variable
from tilewright.transforms.matmul_stages.s15_map_to_gpu import WARP

WHAT: Final = "ring"
_ROUNDS: Final = 2
"""How often all places are gone through at each end of the loop, at most."""
_Place = tuple[Value, int]
_Start = tuple[int, ...]
"""A row or a column for each warp."""


class _Part(Struct, frozen=True):
    """What the first thread copies of a tile at once: where to, and of which step the tile is."""

    place: _Place
    position: tuple[int, int]
    step: int


class _Fragment(Struct, frozen=True):
    """A matrix of a factor: which slice along k, of those of all steps, and its first row of A or column of B."""

    slice: int
    start: _Start


class _Sum(Struct, frozen=True):
    """An accumulator: its first row and column, if they are known yet, and how many slices have been added to it."""

    starts: tuple[_Start, _Start] | None
    slices: int


class _Places(Struct):
    """What is in shared memory: `there` are the parts of tiles that all may read, with their steps.

    `read` are the places that were read since the last barrier, `begun` copies in no group, `groups` those that have
    not been awaited, `arrived` what all may read behind the next barrier.
    """

    there: dict[_Place, dict[tuple[int, int], int]] = field(default_factory=dict[_Place, dict[tuple[int, int], int]])
    read: set[_Place] = field(default_factory=set[_Place])
    begun: list[_Part] = field(default_factory=list[_Part])
    groups: list[list[_Part]] = field(default_factory=list[list[_Part]])
    arrived: list[_Part] = field(default_factory=list[_Part])

    def begin(self, op: Operation, part: _Part) -> None:
        """What was in the place of a part is lost. Raises `Broken` where others may still read it."""
        if part.place in self.read:
            raise Broken(WHAT, op, f"place {part.place[1]} of %{part.place[0].name} is written before all have read it")
        self.there.setdefault(part.place, {}).pop(part.position, None)

    def await_(self, pending: int) -> None:
        """All groups but the last ones have arrived."""
        count = max(len(self.groups) - pending, 0)
        self.arrived += [part for group in self.groups[:count] for part in group]
        self.groups = self.groups[count:]

    def meet(self) -> None:
        """All threads are at a barrier."""
        for part in self.arrived:
            self.there[part.place][part.position] = part.step
        self.arrived, self.read = [], set()

    def step(self, op: Operation, place: _Place, parts: int) -> int:
        """The step whose tile is in a place, all of it. Raises `Broken` if none is."""
        found = self.there.get(place, {})
        if len(found) != parts or len(set(found.values())) != 1:
            raise Broken(WHAT, op, f"place {place[1]} of %{place[0].name} is read before a tile is there")
        self.read.add(place)
        return next(iter(found.values()))

    def moved(self, steps: int) -> None:
        """As if so many steps more had been gone through."""
        self.there = {at: {p: step + steps for p, step in tile.items()} for at, tile in self.there.items()}
        self.begun, self.arrived, *self.groups = (
            [_Part(part.place, part.position, part.step + steps) for part in parts]
            for parts in (self.begun, self.arrived, *self.groups)
        )


def check(matmul: Matmul) -> None:
    """Steps multiply what was copied for them, and all slices along k are added. Raises `Broken` if not."""
    if matmul.has_tiles:
        _Walk(matmul).all()


class _Walk:
    """Goes through what a block does with its tile."""

    def __init__(self, matmul: Matmul) -> None:
        launch = matmul.nest(WHAT)
        assert isinstance(launch, gpu.Launch)
        warps = matmul.schedule.warps
        self._matmul, self._warps, self._k = matmul, warps, matmul.loop("k", WHAT)
        self._known: dict[Value, Column] = {value: [0] * warps for kind in range(2) for value in launch.ids(kind)}
        self._known[launch.ids(1)[0]] = range(0, warps * WARP, WARP)
        self._places, self._values = _Places(), dict[Value, _Fragment | _Sum]()
        matrices = {one.memref: one for one in (matmul.a, matmul.b)}
        self._buffers = {buffer: matrices[source] for buffer, source in _copied(launch) if source in matrices}

    def all(self) -> None:
        """Raises `Broken` where something is not as it should be."""
        block = self._k.block
        assert block is not None
        for op in block:
            self._run(op)
        if self._places.begun or any(self._places.groups):
            raise Broken(WHAT, self._k, "copies are on their way when all is done")
        total = self._matmul.tiled["k"] // self._matmul.schedule.matrix[2]
        sums = [one for one in self._values.values() if isinstance(one, _Sum) and one.slices == total]
        m, n, _ = self._matmul.schedule.fragments
        if len({one.starts for one in sums}) != m * n:
            said = f"{len(sums)} matrices have all {total} slices along k added, not {m} * {n}"
            raise Broken(WHAT, self._k, said)

    def _run(self, op: Operation) -> None:
        places = self._places
        match op:
            case affine.For() if op is self._k:
                self._steps(op)
            case affine.For():
                self._nest(op)
            case gpu.Barrier():
                places.meet()
            case nvgpu.DeviceAsyncCopy():
                part = self._part(op, (op.dst, op.dstIndices), (op.src, op.srcIndices))
                places.begin(op, part)
                places.begun.append(part)
            case nvgpu.DeviceAsyncCreateGroup():
                places.groups.append(places.begun)
                places.begun = []
            case nvgpu.DeviceAsyncWait():
                places.await_(op.pending)
            case vector.Store() if op.base in self._buffers:
                load = stored_by(op).defining_op
                assert isinstance(load, vector.Load), "copies are from memory to memory"
                part = self._part(op, (op.base, op.indices), (load.base, load.indices))
                places.begin(op, part)
                places.arrived.append(part)
            case mma.LoadMatrix() | mma.ConstantMatrix() | mma.Compute():
                self._values[op.out] = self._result(op)
            case _:
                pass

    def _nest(self, loop: affine.For) -> None:
        """The copies in front of the loop along k."""
        for number in numbers(loop) or ():
            self._known[variable(loop)] = [number] * self._warps
            for op in inside(loop):
                self._run(op)

    def _steps(self, k: affine.For) -> None:
        carried: Sequence[Value] = k.inits
        arguments, end = k.body.entry.arguments[1:], k.body.entry.last
        assert end is not None
        for number, skipped in self._visited():
            values = [self._values.get(value) for value in carried]
            for argument, value in zip(arguments, values, strict=True):
                if value is not None:
                    self._values[argument] = _moved(value, skipped * self._slices)
            self._places.moved(skipped)
            self._known[variable(k)] = [number * self._matmul.block["k"]] * self._warps
            for op in inside(k):
                self._run(op)
            carried = end.operands
        for result, value in zip(k.outs, [self._values.get(value) for value in carried], strict=True):
            if value is not None:
                self._values[result] = value

    @property
    def _slices(self) -> int:
        return self._matmul.block["k"] // self._matmul.schedule.matrix[2]

    def _visited(self) -> Iterator[tuple[int, int]]:
        """The numbers of the steps that are gone through, and how many have been left out in front of each."""
        count, round_ = len(numbers(self._k) or ()), self._matmul.schedule.buffers
        ends = _ROUNDS * round_
        skipped = max(count - 2 * ends, 0) // round_ * round_
        for number in range(count - skipped):
            is_behind = number >= ends
            yield number + is_behind * skipped, skipped if number == ends else 0

    def _at(self, values: Sequence[Value]) -> list[Column]:
        return [column(value, self._known, self._warps) for value in values]

    def _in_tile(self, op: Operation, buffer: Value, indices: Sequence[Value]) -> tuple[_Place, list[Column]]:
        """The place of an access, and where it is in the tile."""
        height = self._buffers[buffer].of(self._matmul.block)[0]
        rows, columns = self._at(indices)
        numbers_ = {row // height for row in rows}
        if len(numbers_) != 1 or not numbers_ <= set(range((shape_of(buffer)[0] or 0) // height)):
            raise Broken(WHAT, op, f"%{buffer.name} is accessed in places {sorted(numbers_)}")
        return (buffer, numbers_.pop()), [[row % height for row in rows], columns]

    def _part(self, op: Operation, target: tuple[Value, list[Value]], source: tuple[Value, list[Value]]) -> _Part:
        matrix = self._buffers[target[0]]
        place, to = self._in_tile(op, *target)
        apart = [[x - y for x, y in zip(a, b, strict=True)] for a, b in zip(self._at(source[1]), to, strict=True)]
        by_letter = dict(zip(matrix.letters, apart, strict=True))
        starts = set(by_letter.pop("k"))
        (others,) = by_letter.values()
        step, rest = divmod(min(starts), self._matmul.block["k"])
        if len(starts) != 1 or rest or any(others):
            raise Broken(WHAT, op, f"what is copied to %{target[0].name} is not a tile of %{matrix.memref.name}")
        return _Part(place, (to[0][0], to[1][0]), step)

    def _parts(self, matrix: Matrix) -> int:
        """Of a tile, those that a thread copies."""
        rows, columns = matrix.of(self._matmul.block)
        return rows * columns // (self._matmul.schedule.vector * self._warps * WARP)

    def _result(self, op: mma.LoadMatrix | mma.ConstantMatrix | mma.Compute) -> _Fragment | _Sum:
        match op:
            case mma.ConstantMatrix():
                return _Sum(None, 0)
            case mma.LoadMatrix() if op.memref is self._matmul.sums:
                i, j = self._matmul.c.letters
                found = dict(zip((i, j), map(tuple, self._at(op.indices)), strict=True))
                return _Sum((found["i"], found["j"]), 0)
            case mma.LoadMatrix():
                return self._fragment(op)
            case mma.Compute():
                return self._product(op)

    def _fragment(self, op: mma.LoadMatrix) -> _Fragment:
        matrix = self._buffers[op.memref]
        place, at = self._in_tile(op, op.memref, op.indices)
        step = self._places.step(op, place, self._parts(matrix))
        by_letter = dict(zip(matrix.letters, map(tuple, at), strict=True))
        slices = {depth // self._matmul.schedule.matrix[2] for depth in by_letter.pop("k")}
        (start,) = by_letter.values()
        if len(slices) != 1:
            raise Broken(WHAT, op, f"warps read slices {sorted(slices)} of %{op.memref.name} at once")
        return _Fragment(step * self._slices + slices.pop(), start)

    def _product(self, op: mma.Compute) -> _Sum:
        a, b, c = (self._values.get(value) for value in (op.opA, op.opB, op.opC))
        if not isinstance(a, _Fragment) or not isinstance(b, _Fragment) or not isinstance(c, _Sum):
            raise Broken(WHAT, op, "a product is not one of fragments that were read, added to an accumulator")
        if not a.slice == b.slice == c.slices:
            said = f"slice {a.slice} of A is multiplied by slice {b.slice} of B where slice {c.slices} is to be added"
            raise Broken(WHAT, op, said)
        starts = (a.start, b.start)
        if c.starts is not None and c.starts != starts:
            raise Broken(WHAT, op, f"rows {a.start} and columns {b.start} are added to those of {c.starts}")
        return _Sum(starts, c.slices + 1)


def _copied(root: Operation) -> Iterator[tuple[Value, Value]]:
    """The shared buffers that are copied to, and from where."""
    for op in root.walk():
        if isinstance(op, nvgpu.DeviceAsyncCopy):
            yield op.dst, op.src
        elif isinstance(op, vector.Store) and is_shared(op.base):
            load = stored_by(op).defining_op
            if isinstance(load, vector.Load):
                yield op.base, load.base


def _moved(value: _Fragment | _Sum, slices: int) -> _Fragment | _Sum:
    if isinstance(value, _Fragment):
        return _Fragment(value.slice + slices, value.start)
    return _Sum(value.starts, value.slices + slices)
