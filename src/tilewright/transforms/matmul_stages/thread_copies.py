"""Copies by the threads of a launch: which thread copies what, and how much memory moves for it.

Where a thread is asks the maps that the program computes it by: each is evaluated for all threads of a block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct

from tilewright.dialects.mlir import affine, gpu, vector
from tilewright.dialects.mlir.base import memref_of
from tilewright.ir.core import Value
from tilewright.ir.types import ScalarType
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.lane_accesses import LANES, bank_cycles, lines
from tilewright.transforms.matmul_stages.copies import is_shared, stored_by
from tilewright.transforms.matmul_stages.index_values import Column, column, origins, sums
from tilewright.transforms.matmul_stages.layouts import pitch_of
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, Matrix
from tilewright.transforms.matmul_stages.nests import Access, form_of, loops_around, numbers, variable
from tilewright.transforms.matmul_stages.visits import Source, known_subscripts

WHAT = "copies by threads"
Moments = Mapping[Value, Column]
"""Each thread of a block in each trip of its copy: what the variables are there."""


class ThreadCopy(Struct, frozen=True):
    """A row of elements that each thread loads and stores to a shared buffer, maybe in each trip of a loop.

    `fetch` is the load that the element comes from, `trips` the variable of the loop around that and of that around the
    store, if there are.
    """

    fetch: vector.Load
    store: vector.Store
    trips: tuple[affine.For | None, affine.For | None]

    @property
    def buffer(self) -> Value:
        """What is filled."""
        return self.store.base


def thread_copies(matmul: Matmul, launch: gpu.Launch) -> list[ThreadCopy]:
    """All copies of a launch to shared buffers, in the order of the text. Raises `Broken` for others."""
    found: list[ThreadCopy] = []
    for op in launch.walk():
        if isinstance(op, vector.Store) and is_shared(op.base):
            load = stored_by(op).defining_op
            if not isinstance(load, vector.Load):
                raise Broken(WHAT, op, f"what is stored to %{op.base.name} was not read from a matrix")
            fetch = load if load.base in (matmul.a.memref, matmul.b.memref) else _fetch(launch, load)
            found.append(ThreadCopy(fetch, op, (_trips(matmul, fetch), _trips(matmul, op))))
    return found


def _trips(matmul: Matmul, op: vector.Load | vector.Store) -> affine.For | None:
    """The loop of a copy around an access, which no stage has made for products."""
    return next((loop for loop in reversed(loops_around(op)) if loop not in matmul.loops.values()), None)


def _fetch(launch: gpu.Launch, load: vector.Load) -> vector.Load:
    """What filled the memory of the thread that is read."""
    stores = [op for op in launch.walk() if isinstance(op, vector.Store) and op.base is load.base]
    found = stored_by(stores[0]).defining_op if len(stores) == 1 else None
    if not isinstance(found, vector.Load) or is_shared(load.base):
        raise Broken(WHAT, load, f"%{load.base.name} does not hold what the thread fetched")
    here, there = (list(known_subscripts(op)) for op in (load, stores[0]))
    if len(loops_around(load)) != len(loops_around(stores[0])) or not _same_place(load, here, stores[0], there):
        raise Broken(WHAT, load, f"%{load.base.name} is read at another place than it was written")
    return found


def _same_place(load: Access, here: Sequence[Linear], store: Access, there: Sequence[Linear]) -> bool:
    """Whether subscripts are the same in the same trips of the loops around."""
    alike = {variable(a): variable(b) for a, b in zip(loops_around(store), loops_around(load), strict=True)}
    return [{(alike.get(v, v), f) for v, f in form.terms} | {form.constant} for form in there] == [
        {*form.terms, form.constant} for form in here
    ]


def _own(launch: gpu.Launch, copy: ThreadCopy) -> set[Value]:
    """What differs between the threads of a block, and between trips."""
    return {launch.ids(1)[0], *(variable(loop) for loop in copy.trips if loop is not None)}


def _places(op: Access, own: set[Value], known: Moments) -> list[tuple[int, ...]]:
    """Where an access begins at each moment, but for what all threads have in common."""
    count = len(next(iter(known.values())))
    parts = [
        Linear(form.constant, tuple(term for term in form.terms if origins(term[0]) <= own))
        for form in known_subscripts(op)
    ]
    return list(zip(*(sums(part, known, count) for part in parts), strict=True))


def _common(op: Access, own: set[Value]) -> list[dict[Value, int]]:
    """What all threads have in common of the subscripts."""
    return [{v: f for v, f in form.terms if not origins(v) <= own} for form in known_subscripts(op)]


def moments(launch: gpu.Launch, copy: ThreadCopy) -> Moments:
    """Each thread of a block in each trip: what its variables are."""
    threads = form_of(launch.blockSizeX).constant
    loops = [loop for loop in copy.trips if loop is not None]
    trips = (numbers(loops[0]) if loops else range(1)) or range(0)
    found: dict[Value, Column] = {launch.ids(1)[0]: list(range(threads)) * len(trips)}
    for loop in loops:
        found[variable(loop)] = [trip for trip in trips for _ in range(threads)]
    return found


def copied_by(launch: gpu.Launch, copy: ThreadCopy) -> list[tuple[tuple[int, ...], int]]:
    """Where each row of elements begins in the buffer, and which thread copies it."""
    known = moments(launch, copy)
    places = _places(copy.store, _own(launch, copy), known)
    return list(zip(places, known[launch.ids(1)[0]], strict=True))


def check_thread_copies(matmul: Matmul, launch: gpu.Launch) -> None:
    """In front of the loop along k and in each step all of each tile is copied, each row of elements by one thread.

    Consecutive threads copy what follows each other: a warp touches no more lines than it has to.
    """
    k = matmul.loop("k", WHAT)
    copies = thread_copies(matmul, launch)
    for buffer in launch.shared:
        if buffer is matmul.sums:
            continue
        matrix = matrix_of(matmul, copies, buffer)
        for inside in (False, True):
            of_site = [copy for copy in copies if copy.buffer is buffer and k.is_ancestor_of(copy.store) is inside]
            _check_site(matmul, launch, matrix, of_site, inside)
    for copy in copies:
        _check_lines(matmul, launch, copy)


def matrix_of(matmul: Matmul, copies: Sequence[ThreadCopy], buffer: Value) -> Matrix:
    """The matrix whose tile a buffer holds. Raises `Broken` if that are several, or none."""
    found = {copy.fetch.base for copy in copies if copy.buffer is buffer}
    matrix = next((m for m in (matmul.a, matmul.b) if {m.memref} == found), None)
    if matrix is None:
        raise Broken(WHAT, matmul.function, f"%{buffer.name} is not filled from one matrix")
    return matrix


def _check_site(
    matmul: Matmul, launch: gpu.Launch, matrix: Matrix, copies: Sequence[ThreadCopy], in_loop: bool
) -> None:
    """Copies of one tile: each row of elements once, from where the tile begins."""
    rows, columns = matrix.of(matmul.block)
    k = matmul.loop("k", WHAT)
    step = form_of(variable(k)).plus(Linear(matmul.block["k"])) if in_loop else Linear()
    starts = [step if letter == "k" else matmul.start(letter) for letter in matrix.letters]
    seen: set[tuple[int, ...]] = set()
    for copy in copies:
        own = _own(launch, copy)
        if _common(copy.fetch, own) != [dict(start.terms) for start in starts] or any(_common(copy.store, own)):
            raise Broken(WHAT, copy.fetch, f"the tile in %{copy.buffer.name} is not that of the step that reads it")
        if copy.trips[0] is not None and copy.trips[1] is not None and numbers(copy.trips[0]) != numbers(copy.trips[1]):
            raise Broken(WHAT, copy.store, "not all that is fetched is stored")
        known = moments(launch, copy)
        first = tuple(start.constant for start in starts)
        for place, source in zip(_places(copy.store, own, known), _places(copy.fetch, own, known), strict=True):
            if (source[0] - first[0], source[1] - first[1]) != place:
                said = (
                    f"element {place} of %{copy.buffer.name} is filled with element {source} of %{matrix.memref.name}"
                )
                raise Broken(WHAT, copy.store, said)
            if place in seen:
                raise Broken(WHAT, copy.store, f"element {place} of %{copy.buffer.name} is copied twice")
            seen.add(place)
    row = matmul.schedule.vector
    wanted = {(x, y) for x in range(rows) for y in range(0, columns, row)}
    if seen != wanted:
        op = copies[0].store if copies else launch
        raise Broken(WHAT, op, f"{len(seen)} of {len(wanted)} rows of elements of %{matrix.memref.name} are copied")


def _bytes(op: vector.Load | vector.Store) -> tuple[int, int]:
    """Bytes of an element, and of a row of elements."""
    element = memref_of(op.base).element
    assert isinstance(element, ScalarType)
    return element.bits // 8, element.bits // 8 * op.vector.shape[0]


def _addresses(launch: gpu.Launch, copy: ThreadCopy, op: vector.Load | vector.Store) -> list[int]:
    """Where the threads of the first warp access memory in the first trip, in bytes."""
    size, _ = _bytes(op)
    pitch = pitch_of(op.base) or 0
    own = _own(launch, copy)
    warp = {value: numbers_[:LANES] for value, numbers_ in moments(launch, copy).items()}
    places = _places(op, own, warp)
    return [size * (row * pitch + place) for row, place in places]


def _least(matmul: Matmul, launch: gpu.Launch, copy: ThreadCopy) -> int:
    """Lines that a warp touches which copies rows of elements of the tile in their order."""
    size, width = _bytes(copy.fetch)
    pitch = pitch_of(copy.fetch.base) or 0
    columns = matrix_of(matmul, [copy], copy.buffer).of(matmul.block)[1]
    first = min(_addresses(launch, copy, copy.fetch))
    rows = (divmod(lane * width // size, columns) for lane in range(LANES))
    return lines([first + size * (row * pitch + place) for row, place in rows], width)


def _check_lines(matmul: Matmul, launch: gpu.Launch, copy: ThreadCopy) -> None:
    found = lines(_addresses(launch, copy, copy.fetch), _bytes(copy.fetch)[1])
    least = _least(matmul, launch, copy)
    if found > least:
        said = f"a warp touches {found} lines of %{copy.fetch.base.name}, where {least} hold as much of the tile"
        raise Broken("coalescing", copy.fetch, said)


def lines_of_warps(matmul: Matmul) -> str:
    """How many lines of each matrix and cycles of the banks a warp's copies take, in words, as far as it is known."""
    launch = matmul.nest(WHAT)
    assert isinstance(launch, gpu.Launch)
    said: dict[str, None] = {}
    for copy in thread_copies(matmul, launch):
        if pitch_of(copy.fetch.base) is None:
            continue
        loaded = lines(_addresses(launch, copy, copy.fetch), _bytes(copy.fetch)[1])
        stored = bank_cycles(_addresses(launch, copy, copy.store), _bytes(copy.store)[1])
        name = copy.fetch.base.name
        said[f"a warp reads {loaded} lines of %{name} and stores them in {stored} cycles of the banks"] = None
    return "; ".join(said)


def check_warps(matmul: Matmul, launch: gpu.Launch) -> None:
    """Each warp has a tile of its own, the same for all its threads. Raises `Broken` if not."""
    schedule, thread = matmul.schedule, launch.ids(1)[0]
    count = schedule.warps * LANES
    known: Moments = {thread: range(count)}
    rows, columns = (column(matmul.made.variables[name], known, count) for name in ("ii", "jj"))
    tiles = list(zip(rows, columns, strict=True))
    found = [set(tiles[first : first + LANES]) for first in range(0, len(tiles), LANES)]
    torn = next((warp for warp, places in enumerate(found) if len(places) != 1), None)
    if torn is not None:
        raise Broken("warps", launch, f"the threads of warp {torn} have {len(found[torn])} tiles")
    m, n = (range(0, schedule.block[d], schedule.warp[d]) for d in (0, 1))
    if set().union(*found) != {(i, j) for i in m for j in n}:
        raise Broken("warps", launch, "the tiles of warps are not those of the block")


def held(matmul: Matmul, launch: gpu.Launch) -> Source:
    """The subscripts of a matrix that a read of its buffer stands for: of step k in the loop, of the last behind."""
    k = matmul.loop("k", WHAT)
    matrices = {copy.buffer: copy.fetch.base for copy in thread_copies(matmul, launch)}
    last = Linear(matmul.tiled["k"] - matmul.block["k"])

    def source(op: Access, matrix: Matrix, forms: Sequence[Linear]) -> tuple[Linear, ...]:
        if matrices.get(op.memref) is not matrix.memref:
            raise Broken(WHAT, op, f"reads %{op.memref.name}, which is no tile of %{matrix.memref.name}")
        step = form_of(variable(k)) if k.is_ancestor_of(op) else last
        starts = (step if letter == "k" else matmul.start(letter) for letter in matrix.letters)
        return tuple(form.plus(start) for form, start in zip(forms, starts, strict=True))

    return source
