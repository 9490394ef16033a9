"""Stage 15, map_to_gpu: parallel loops become blocks, warps and threads of a launch.

before:  affine.parallel (%i, %j) { .. affine.parallel (%ii, %jj) { affine.parallel (%x, %y) { copy } .. } }
after:   gpu.launch blocks(%bx, %by) in (N / block n, M / block m) threads(%tx) in (32 * warps) {
           %i = %by * block m; %j = %bx * block n; %ii, %jj from %tx floordiv 32
           for %t { %row, %column from %tx + %t * threads; copy of a row of elements } .. }

Consecutive threads copy consecutive rows of elements. Shared buffers belong to the launch, what a thread fetches is in
memory of its own, and what is no whole tile is dealt to threads (`dealt`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import affine, gpu, memref, vector
from tilewright.dialects.mlir.base import memref_of, shape_of
from tilewright.ir.affine import (
    AffineConstant,
    AffineExpression,
    AffineMap,
    AffineOperator,
    AffineSymbol,
    Dimension,
    add,
    divide,
    multiply,
)
from tilewright.ir.core import Block, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.types import MemrefType
from tilewright.ir.types import I64, INDEX
from tilewright.transforms.index_ranges import Linear
from tilewright.transforms.matmul_stages import s13_vectorise_copies
from tilewright.transforms.matmul_stages.copies import Copy, buffers
from tilewright.transforms.matmul_stages.dealt import (
    Around,
    check_dealt,
    deal,
    is_of_tiles,
    parts_behind,
    parts_in_front,
)
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul, NotApplicable
from tilewright.transforms.matmul_stages.nests import (
    Access,
    applied,
    axes_of,
    constant,
    form_of,
    index_value,
    make_loop,
    move_into,
    nested,
    replaced,
    variable,
)
from tilewright.transforms.matmul_stages.remainders import rest_of
from tilewright.transforms.matmul_stages.s06_wmma_generate import check_matrices
from tilewright.transforms.matmul_stages.s10_cse_hoist_c import check_carried
from tilewright.transforms.matmul_stages.s11_shift_peel_k import PRIVATE, check_steps
from tilewright.transforms.matmul_stages.s12_insert_barriers import check_synchronised
from tilewright.transforms.matmul_stages.staged_sums import deal_sums
from tilewright.transforms.matmul_stages.thread_copies import check_thread_copies, check_warps, held, lines_of_warps
from tilewright.transforms.matmul_stages.tile_branches import branch_of_tiles, check_branch
from tilewright.transforms.matmul_stages.visits import check_visits, known_subscripts

NAME = "map_to_gpu"
WARP: Final = 32
"""Threads of a warp."""
_IDS: Final = ("bx", "by", "bz", "tx", "ty", "tz", "gx", "gy", "gz", "sx", "sy", "sz")


def apply(matmul: Matmul) -> str:
    """Put a launch in the place of the loops over blocks and all that is behind them."""
    threads = matmul.schedule.warps * WARP
    _check_threads(matmul, threads)
    blocks, warps = matmul.axis("i", NAME).op, matmul.axis("ii", NAME).op
    assert isinstance(blocks, affine.Parallel)
    assert isinstance(warps, affine.Parallel)
    rest, around = rest_of(matmul), _around(matmul)
    outermost = matmul.axis(matmul.batch_names[0], NAME).op if matmul.batch else blocks
    launch = _launch(matmul, Builder.before_op(outermost), threads)
    block = launch.body.entry
    _share_buffers(matmul, launch)
    _place(matmul, launch, blocks, warps)
    if outermost is not blocks:
        move_into(block, [op for op in outermost.regions[0].entry if isinstance(op, memref.Subview)])
    beside = Builder(block, block.last, launch.location)
    build = branch_of_tiles(matmul, beside) if matmul.is_open else beside
    for part in parts_in_front(matmul):
        deal(matmul, launch, build, part, around)
        build(gpu.Barrier())
    _inline(blocks, warps, build.block)
    _own_memory(matmul, launch)
    deal_sums(matmul, launch)
    parts = parts_behind(matmul)
    if parts:
        build(gpu.Barrier())
    for part in parts:
        deal(matmul, launch, build if is_of_tiles(matmul, part.box) else beside, part, around)
    for op in (*around.before, blocks, *rest, *around.behind, *([outermost] if outermost is not blocks else [])):
        op.erase()
    matmul.made.before, matmul.made.behind = (), ()
    lines = lines_of_warps(matmul)
    said = f"{matmul.grid} blocks of {threads} threads{'; ' if lines else ''}{lines}"
    dealt = len(rest) + len(matmul.before) + len(matmul.behind)
    return (
        f"{said}; {dealt} nests {'beside' if matmul.before else 'behind'} the tiles dealt to threads" if dealt else said
    )


def _inline(blocks: affine.Parallel, warps: affine.Parallel, block: Block) -> None:
    """Put what blocks and warps do into a block, in its order."""
    ops = [op for op in blocks.body.entry if not isinstance(op, affine.Yield)]
    first = ops.index(warps)
    move_into(block, ops[:first])
    move_into(block, [op for op in warps.body.entry if not isinstance(op, affine.Yield)])
    move_into(block, ops[first + 1 :])


def _around(matmul: Matmul) -> Around:
    """The nests over elements of C, which are parallel."""
    before, behind = (
        [nest for nest in nests if isinstance(nest, affine.Parallel)]
        for nests in (matmul.made.before, matmul.made.behind)
    )
    return Around(before, behind)


def _check_threads(matmul: Matmul, threads: int) -> None:
    """Raises `NotApplicable` if a block has too many threads, or they do not share the rows of a tile evenly."""
    if threads > 1024:
        hint = 'give larger tiles of warps in the schedule, "warp=64x32x32" for example'
        raise NotApplicable(
            matmul.function, f"a block of {matmul.schedule.warps} warps has more than 1024 threads", hint
        )
    for matrix in (matmul.a, matmul.b):
        rows = math.prod(matrix.of(matmul.block)) // matmul.schedule.vector
        if rows % threads:
            said = f"the tile of %{matrix.memref.name} is copied in {rows} rows of {matmul.schedule.vector} elements"
            fitting = _fitting_vector(matmul, threads)
            hint = "give a larger block or fewer warps in the schedule"
            hint += f', or "vector={fitting}"' if fitting else ""
            raise NotApplicable(matmul.function, f"{said}, which {threads} threads do not share evenly", hint)


def _fitting_vector(matmul: Matmul, threads: int) -> int:
    """The longest rows, if any, that threads share evenly."""
    sizes = [math.prod(matrix.of(matmul.block)) for matrix in (matmul.a, matmul.b)]
    return next(
        (n for n in (8, 4, 2, 1) if n < matmul.schedule.vector and not any(s % (n * threads) for s in sizes)), 0
    )


def _launch(matmul: Matmul, build: Builder, threads: int) -> gpu.Launch:
    """A launch of all blocks with an empty body."""
    one = constant(build, 1)
    rows, columns = (_blocks(matmul, build, letter) for letter in "ij")
    count = constant(build, threads)
    entries = _entries(matmul, build) if matmul.batch else one
    shared = [(op.memref.name, op.memref.type) for op in buffers(matmul)]
    region, block = new_region([*[INDEX] * len(_IDS), *(type_ for _, type_ in shared)])
    for argument, name in zip(block.arguments, (*_IDS, *(name for name, _ in shared)), strict=True):
        argument.name = name
    number = IntegerAttribute(len(shared), I64)
    launch = gpu.Launch([], columns, rows, entries, count, one, one, region, workgroup_attributions=number)
    build(launch)
    block.append(gpu.Terminator(location=launch.location))
    return launch


def _blocks(matmul: Matmul, build: Builder, letter: str) -> Value:
    """How many blocks there are along i or j: one for each whole tile, one at least for what lies behind them."""
    known, size = matmul.blocks["ij".index(letter)], matmul.sizes[letter]
    if known is not None:
        return constant(build, known)
    assert isinstance(size, Value)
    count = _divided(AffineOperator.FLOORDIV, AffineSymbol(0), matmul.block[letter])
    found = build(affine.Max([size], AffineMap(0, 1, (count, AffineConstant(1))))).out
    found.name = f"{letter}_blocks"
    return found


def _entries(matmul: Matmul, build: Builder) -> Value:
    """How many entries a batch has."""
    first, rest = matmul.entries
    if isinstance(first, int):
        return constant(build, first)
    return first if rest == 1 else index_value(build, _times(AffineSymbol(0), rest), [], "entries", [first])


def _share_buffers(matmul: Matmul, launch: gpu.Launch) -> None:
    """Memory that the launch has for each block, in the place of what is allocated."""
    for op, memory in zip(buffers(matmul), launch.shared, strict=True):
        for user in list(op.memref.uses):
            if isinstance(user, memref.Dealloc):
                user.erase()
        if op.memref is matmul.made.sums:
            matmul.made.sums = memory
        op.memref.replace_all_uses_with(memory)
        op.erase()


def _place(matmul: Matmul, launch: gpu.Launch, blocks: affine.Parallel, warps: affine.Parallel) -> None:
    """Where a block and a warp begin, from where the launch runs."""
    build = Builder(launch.body.entry, launch.body.entry.last, launch.location)
    (x, y), thread = launch.ids(0)[:2], launch.ids(1)[0]
    schedule = matmul.schedule
    across = WARP * (schedule.block[1] // schedule.warp[1])
    down = _divided(AffineOperator.FLOORDIV, Dimension(0), across)
    beside = _divided(AffineOperator.FLOORDIV, _divided(AffineOperator.MOD, Dimension(0), across), WARP)
    places: tuple[tuple[str, affine.Parallel, Value, AffineExpression], ...] = (
        ("i", blocks, y, _times(Dimension(0), schedule.block[0])),
        ("j", blocks, x, _times(Dimension(0), schedule.block[1])),
        ("ii", warps, thread, _times(down, schedule.warp[0])),
        ("jj", warps, thread, _times(beside, schedule.warp[1])),
    )
    for number, (name, extent) in enumerate(zip(matmul.batch_names, matmul.batch, strict=True)):
        below = math.prod(inner for inner in matmul.batch[number + 1 :] if isinstance(inner, int))
        entry = _divided(AffineOperator.FLOORDIV, Dimension(0), below)
        if isinstance(extent, int):
            entry = _divided(AffineOperator.MOD, entry, extent)
        places += ((name, blocks, launch.ids(0)[2], entry if len(matmul.batch) > 1 else Dimension(0)),)
    for name, _, value, expression in places:
        old = matmul.made.variables[name]
        found = index_value(build, expression, [value], name)
        old.replace_all_uses_with(found)
        matmul.made.variables[name] = found


def _times(expression: AffineExpression, factor: int) -> AffineExpression:
    return multiply(expression, AffineConstant(factor))


def _divided(operator: AffineOperator, expression: AffineExpression, divisor: int) -> AffineExpression:
    return divide(operator, expression, AffineConstant(divisor))


def _own_memory(matmul: Matmul, launch: gpu.Launch) -> None:
    """Copies by threads: each has memory of its own for what it fetches, and copies every so many rows of elements."""
    first = launch.body.entry.first
    assert first is not None
    own: dict[Value, Value] = {}
    for op in list(launch.walk()):
        if isinstance(op, memref.Alloc):
            type_ = memref_of(op.memref)
            count = math.prod(extent or 0 for extent in shape_of(op.memref))
            row = matmul.schedule.vector
            shape = (count // row // (matmul.schedule.warps * WARP), row)
            memory = memref.Alloca([], [], result_types=[MemrefType(shape, type_.element, None, PRIVATE)])
            own[op.memref] = Builder.before_op(first)(memory).memref
            own[op.memref].name = op.memref.name
    for copy in s13_vectorise_copies.all_copies(matmul):
        _by_threads(matmul, launch, copy, own)
    for old in own:
        for user in list(old.uses):
            user.erase()
        if old.defining_op is not None:
            old.defining_op.erase()


def _by_threads(matmul: Matmul, launch: gpu.Launch, copy: Copy, own: dict[Value, Value]) -> None:
    """A copy, dealt to the threads of a block in the order of its rows of elements."""
    threads, count = matmul.schedule.warps * WARP, matmul.schedule.vector
    x, y = axes_of(copy.nest)
    assert x.numbers is not None
    assert y.numbers is not None
    assert x.limits is not None
    assert y.limits is not None
    trips = len(x.numbers) * len(y.numbers) // threads
    loop = make_loop("t", Linear(), Linear(trips), 1)
    build = nested(Builder.before_op(copy.nest), [loop])
    across = len(y.numbers)
    row, column = _dealt(threads, across)
    values = [launch.ids(1)[0], variable(loop)]
    row = index_value(build, row, values, "row")
    column = index_value(build, _times(column, count), values, "column")
    parts = {
        x.variable: x.limits[0].plus(form_of(row)),
        y.variable: y.limits[0].plus(form_of(column)),
    }

    def indices(op: Access) -> list[Value]:
        if op.memref in own:
            return [variable(loop), constant(build, 0)]
        return [applied(build, replaced(form, parts)) for form in known_subscripts(op)]

    source, target = copy.load.memref, copy.store.memref
    load = vector.Load(own.get(source, source), indices(copy.load), result_types=[copy.load.results[0].type])
    found = build(load).out
    build(vector.Store(found, own.get(target, target), indices(copy.store)))
    copy.nest.erase()


def _dealt(threads: int, across: int) -> tuple[AffineExpression, AffineExpression]:
    """The row and the column of what thread d0 copies in trip d1, of rows of so many."""
    if threads % across:
        number = add(Dimension(0), _times(Dimension(1), threads))
        return _divided(AffineOperator.FLOORDIV, number, across), _divided(AffineOperator.MOD, number, across)
    first, column = (
        _divided(operator, Dimension(0), across) for operator in (AffineOperator.FLOORDIV, AffineOperator.MOD)
    )
    return add(first, _times(Dimension(1), threads // across)), column


def check(matmul: Matmul, before: Sequence[str]) -> None:
    """A launch of all blocks; a warp for each tile; each row of elements copied once, consecutive ones together."""
    launch = check_launch(matmul)
    check_thread_copies(matmul, launch)
    check_mapped(matmul, launch)


def check_mapped(matmul: Matmul, launch: gpu.Launch) -> None:
    """What holds of a launch however its threads copy."""
    check_warps(matmul, launch)
    check_synchronised(matmul)
    check_steps(matmul)
    check_carried(matmul)
    check_matrices(matmul)
    if matmul.has_tiles:
        check_visits(matmul, launch, held(matmul, launch))
    check_branch(matmul, launch)
    check_dealt(matmul, launch)


def check_launch(matmul: Matmul) -> gpu.Launch:
    """The launch, of as many blocks as there are tiles and as many threads as are warps. Raises `Broken` for others."""
    launch = matmul.nest(NAME)
    if not isinstance(launch, gpu.Launch):
        raise Broken(NAME, launch, f"{launch.name} is not mapped to blocks")
    m, n = (count or 0 for count in matmul.blocks)
    found = tuple(form_of(value) for value in (*launch.grid, *launch.block_size))
    entries, _ = matmul.entries
    assert isinstance(entries, int), "checks look at batches of known extents"
    wanted = (n, m, entries, matmul.schedule.warps * WARP, 1, 1)
    if found != tuple(map(Linear, wanted)):
        raise Broken(NAME, launch, f"the launch is not of {n} x {m} blocks of {wanted[3]} threads")
    left = next((op for op in matmul.function.walk() if isinstance(op, affine.Parallel)), None)
    if left is not None:
        raise Broken(NAME, left, "a parallel loop is not mapped")
    return launch
