"""Products on the gpu and lane levels: matrix instructions of warps, and units that work by themselves.

These are as late as they may be: accumulators are formed of what memory holds when they are awaited.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import prod
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tilewright.diagnostics import Location
from tilewright.diagnostics.kernel_error import fail
from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane_products as ops
from tilewright.dialects.gpu_products import memref_of, rows_of
from tilewright.dialects.matrix_instructions import MatrixInstruction, instruction_of
from tilewright.interpreter.lanes import registers
from tilewright.interpreter.memory import Forming, View
from tilewright.interpreter.scalars import whole_subgroups
from tilewright.interpreter.state import Handler, WorkGroup
from tilewright.interpreter.tiles import product, tile_of
from tilewright.ir.core import Operation, Value
from tilewright.ir.layouts import Layout
from tilewright.ir.types import F32, TF32
from tilewright.numerics.conversions import convert
from tilewright.transforms.tile_values import tile_type

Array = NDArray[Any]


def _view(w: WorkGroup, value: Value) -> View:
    found = w.memref(value)
    assert isinstance(found, View), "work-items that copy together share their memory"
    return found


def _all_there(w: WorkGroup, op: Operation) -> None:
    if w.mask is not None and not w.mask.all():
        fail("R022", op.location, f"not all work-items reach this {op.name}")


# Accumulators on their way are numbers that nobody computes with: they say which product is the last, wherever loops
# take them

_ON_ITS_WAY: Final = 0x7FC00000
_NUMBERS: Final = (1 << 22) - 1


def _begun(w: WorkGroup, accumulators: Array, added: Callable[[Array], Array]) -> Array:
    """What stands for accumulators of 32 bits until they are awaited."""
    assert accumulators.dtype in (np.float32, np.int32), "units that work by themselves form accumulators of 32 bits"
    before, w.begun = _forming(w, accumulators), w.begun + 1
    assert w.begun <= _NUMBERS, "the interpreter's limit on operations is lower"
    w.forming[w.begun] = Forming(accumulators.copy() if before is None else before, added)
    return np.full(accumulators.shape, _ON_ITS_WAY | w.begun, np.uint32).view(accumulators.dtype)


def _forming(w: WorkGroup, accumulators: Array) -> Forming | None:
    """What is on its way to be these accumulators; None if they are there."""
    bits = np.ascontiguousarray(accumulators).view(np.uint32)
    first = int(bits.flat[0])
    on_its_way = first & ~_NUMBERS == _ON_ITS_WAY and bool((bits == first).all())
    return w.forming.get(first & _NUMBERS) if on_its_way else None


def _awaited(w: WorkGroup, accumulators: Array, pending: int, others: bool) -> Array:
    """The accumulators, or, if products of them may be left, what stands for them."""
    found = _forming(w, accumulators)
    if found is None:
        return accumulators
    number = int(np.ascontiguousarray(accumulators).view(np.uint32).flat[0]) & _NUMBERS
    if pending and not (others and number <= w.begun - pending):
        found.settle(pending)
        return accumulators
    return found.formed()


# Products of the work-group


def _mma_tiles(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, gpu.Mma)
    found = _instruction(op.instruction)
    stages = w.number(op.lhs_stage), w.number(op.rhs_stage)
    held = {} if op.held is None else {op.held: tile_of(w, op.held)}

    def added(accumulators: Array) -> Array:
        sides = zip((op.lhs, op.rhs), stages, op.along, strict=True)
        lhs, rhs = (
            held[memory] if memory in held else _factor(w, op, memory, stage, along) for memory, stage, along in sides
        )
        if op.held is not None:
            # as much of the other factor
            (lhs, rhs) = _of_depth(lhs, rhs, op)
        # the last slab may reach beyond the tile
        lhs, rhs = lhs[..., : accumulators.shape[-2], :], rhs[..., : accumulators.shape[-1]]
        rows, columns = _taken(found, *((rhs, lhs) if op.swapped else (lhs, rhs)))
        lhs, rhs = (columns, rows) if op.swapped else (rows, columns)
        return product(lhs[None], rhs[None], accumulators, found.sum)[0]

    accumulators = tile_of(w, op.acc)
    w.values[op.out] = _begun(w, accumulators, added) if found.reads_memory else added(accumulators)


def _of_depth(lhs: Array, rhs: Array, op: gpu.Mma) -> tuple[Array, Array]:
    """Both factors, of the one in memory only what the other one is multiplied by."""
    if op.swapped:
        return lhs[..., op.first : op.first + rhs.shape[-2]], rhs
    return lhs, rhs[..., op.first : op.first + lhs.shape[-1], :]


def _factor(w: WorkGroup, op: gpu.Mma, memory: Value, stage: int, along: bool) -> Array:
    """All of a stage, m x k or k x n."""
    type_ = memref_of(memory)
    near, far = np.indices(rows_of(type_))
    found = _read(w, op.location, _view(w, memory), _slabs(memory, near, far), stage)
    return found if along == (memory is op.lhs) else found.T


def _read_parts(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, gpu.ReadParts)
    deep = w.number(op.deep)
    bounds = [(0, extent) for extent in rows_of(memref_of(op.memory))]
    bounds[op.along] = (deep, deep + tile_type(op.out).shape[1 - op.side])
    # a slab may reach beyond
    bounds[1 - op.along] = (0, tile_type(op.out).shape[op.side])
    near, far = np.meshgrid(*(np.arange(*each) for each in bounds), indexing="ij")
    found = _read(w, op.location, _view(w, op.memory), _slabs(op.memory, near, far), w.number(op.stage))
    w.values[op.out] = found if op.along == (op.side == 0) else found.T


def _mma_parts(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, gpu.MmaParts)
    found, lhs, rhs = _instruction(op.instruction), tile_of(w, op.lhs), tile_of(w, op.rhs)
    rows, columns = _taken(found, *((rhs, lhs) if op.swapped else (lhs, rhs)))
    lhs, rhs = (columns, rows) if op.swapped else (rows, columns)
    w.values[op.out] = product(lhs[None], rhs[None], tile_of(w, op.acc), found.sum)[0]


def _slabs(memory: Value, near: Array, far: Array) -> Sequence[Array]:
    type_ = memref_of(memory)
    if type_.swizzle is None:
        return near, far
    width = type_.shape[0] or 1
    return near % width, far, near // width


def _read(w: WorkGroup, where: Location, view: View, at: Sequence[Array], stage: int) -> Array:
    """Elements of a stage of shared memory, which have to be there."""
    buffer = view.buffer
    assert buffer is not None
    numbers = view.offset + stage * view.strides[-1]
    for index, stride in zip(at, view.strides, strict=False):
        numbers = numbers + index * stride
    found = np.asarray(numbers)
    if buffer.written is not None and not buffer.written[found].all():
        fail("R011", where, f"reads elements of local memory {buffer.name} that are not there (yet)")
    return np.asarray(buffer.data[found])


def _await_tiles(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, gpu.AwaitMma)
    w.values[op.out] = _awaited(w, tile_of(w, op.acc), op.pending, op.others)


# Of warps


def _instruction(name: str) -> MatrixInstruction:
    found = instruction_of(name)
    assert found is not None, "the verifier has asked"
    return found


def _load_matrices(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.LoadMatrices)
    whole_subgroups(w, op)
    view, size = _view(w, op.memref), memref_of(op.memref).element.bytes
    row, warps = ops.MATRIX_BYTES // size, w.items // w.subgroup_size
    base = [np.broadcast_to(w.scalar(index), (w.items,)).reshape(warps, -1) for index in op.indices]
    assert w.mask is not None
    # of other warps nothing is known, nor is it asked for
    active = w.mask.reshape(warps, -1).any(axis=1)
    lanes = np.arange(w.subgroup_size)
    per_word = 4 // size
    out: list[Array] = []
    pair: list[Array] = []
    for start, count in zip(op.starts, op.counts, strict=True):
        for matrix in range(count):
            mine = slice(ops.MATRIX_ROWS * matrix, ops.MATRIX_ROWS * (matrix + 1))
            at = [(index[:, mine] + step)[..., None] for index, step in zip(base, start, strict=True)]
            at[0] = at[0] + np.arange(row)
            numbers: Any = view.offset
            for index, stride in zip(at, view.strides, strict=True):
                numbers = numbers + index * stride
            buffer = view.buffer
            assert buffer is not None
            numbers = np.broadcast_to(numbers, (warps, ops.MATRIX_ROWS, row))[active]
            if buffer.written is not None and not buffer.written[numbers].all():
                fail("R011", op.location, f"reads elements of local memory {buffer.name} that are not there (yet)")
            found = np.zeros((warps, ops.MATRIX_ROWS, row), buffer.data.dtype)
            found[active] = buffer.data[numbers]
            if op.transposed and size == 1:
                pair.append(found)
                if len(pair) == ops.PAIR:
                    out += _of_pair(pair[0], pair[1], lanes)
                    pair.clear()
                continue
            found = found.swapaxes(1, 2) if op.transposed else found
            for k in range(per_word):
                out.append(found[:, lanes // 4, lanes % 4 * per_word + k].reshape(-1))
    w.values[op.out] = np.stack(out)


def _of_pair(one: Array, other: Array, lanes: Array) -> list[Array]:
    """Bytes of two columns of two matrices [warp, row, column], transposed together."""
    is_first = lanes % 4 < ops.PAIR
    out: list[Array] = []
    for column, part, row in np.ndindex(2, 2, 2):
        at = (slice(None), lanes % 4 * 2 + row, lanes // 4 * 2 + column)
        out.append(np.where(is_first == (part == 0), one[at], other[at]).reshape(-1))
    return out


def _mma(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.Mma)
    whole_subgroups(w, op)
    found = _instruction(op.instruction)
    left = _parts(w, registers(w, op.left), found.rows)
    right = _parts(w, registers(w, op.right), found.columns)
    accumulators = _parts(w, registers(w, op.accumulators), found.accumulators)
    for c in range(len(right)):
        for r in range(len(left)):
            at = r + len(left) * c
            accumulators[at] = _multiplied(found, left[r], right[c].swapaxes(-1, -2), accumulators[at])
    w.values[op.out] = _registers_of(w, accumulators, found.accumulators)


def _taken(found: MatrixInstruction, rows: Array, columns: Array) -> tuple[Array, Array]:
    """Rows and columns of an instruction as it takes them: of other signs, or rounded."""
    if found.rounds:
        rows, columns = (convert(F32.format, TF32.format, x) for x in (rows, columns))
    rows, columns = (x.view(np.uint8) if bare else x for x, bare in zip((rows, columns), found.unsigned, strict=True))
    return rows, columns


def _multiplied(found: MatrixInstruction, a: Array, b: Array, c: Array) -> Array:
    a, b = _taken(found, a, b)
    if found.factor is TF32:
        a, b = (_cut(x) for x in (a, b))
    return product(a, b, c, found.sum)


def _cut(x: Array) -> Array:
    """The unit reads no more than 10 bits of the fraction."""
    return (x.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32)


def _parts(w: WorkGroup, values: Array, layout: Layout) -> Array:
    """[part, warp, row, column] of registers that hold parts one behind the other; copies are alike."""
    table = layout.table()[:, :, 0, 0]
    count = len(table)
    found = values.reshape(-1, count, w.items // w.subgroup_size, w.subgroup_size)
    out = np.zeros((len(found), found.shape[2], *layout.shape), values.dtype)
    out[:, :, table[..., 0], table[..., 1]] = found.swapaxes(1, 2)
    return out


def _registers_of(w: WorkGroup, parts: Array, layout: Layout) -> Array:
    table = layout.table()[:, :, 0, 0]
    return parts[:, :, table[..., 0], table[..., 1]].swapaxes(1, 2).reshape(-1, w.items)


# Of groups of warps


def _mma_async(w: WorkGroup, op: Operation) -> None:
    """The accumulators are nothing before they are awaited."""
    assert isinstance(op, ops.MmaAsync)
    _all_there(w, op)
    found = _instruction(op.instruction)
    row_at, column_at = ([w.scalar(index) for index in each] for each in (op.row_indices, op.column_indices))
    columns = _view(w, op.columns)
    rows = registers(w, op.rows) if op.holds_rows else _view(w, op.rows)

    def added(accumulators: Array) -> Array:
        group = found.warps * w.subgroup_size
        out = accumulators.copy()
        for first in range(0, w.items, group):
            mine = slice(first, first + group)
            parts = rows if isinstance(rows, View) else _held(w, op, found, rows[:, mine])
            out[:, mine] = _of_group(w, op, found, (parts, columns), (row_at, column_at), first, accumulators[:, mine])
        return out

    w.values[op.out] = _begun(w, registers(w, op.accumulators), added)


def _of_group(
    w: WorkGroup,
    op: ops.MmaAsync,
    found: MatrixInstruction,
    given: tuple[View | Array, View],
    at: tuple[Sequence[Array], Sequence[Array]],
    first: int,
    accumulators: Array,
) -> Array:
    """The accumulators of one group of warps, which begins at a work-item. Rows are in memory, or [repeat, step, row,
    k]."""
    m, n, k = found.shape
    table = found.accumulators.table()[:, :, :, 0]
    parts = accumulators.reshape(op.repeats, len(table), found.warps, w.subgroup_size).swapaxes(2, 3)
    out = np.zeros((op.repeats, m, n), accumulators.dtype)
    for repeat in range(op.repeats):
        out[repeat][table[..., 0], table[..., 1]] = parts[repeat]
        for step in range(op.steps):
            factors: list[Array] = []
            sides = ((op.rows, m, repeat * m, op.along[0]), (op.columns, n, 0, op.along[1]))
            for (memory, extent, outer, along), view, indices in zip(sides, given, at, strict=True):
                if not isinstance(view, View):
                    factors.append(view[repeat, step])
                    continue
                o, d = np.indices((extent, k))
                deep = d + (op.first + step) * k
                near, far = (o + outer, deep) if along else (deep, o + outer)
                starts = [int(index if index.ndim == 0 else index[first]) for index in indices]
                spots = [place + start for place, start in zip(_slabs(memory, near, far), starts, strict=False)]
                factors.append(_read(w, op.location, view, spots, starts[-1]))
            left, right = _taken(found, factors[0], factors[1])
            out[repeat] = product(left, right.T, out[repeat], found.sum)
    dealt = np.stack([out[repeat][table[..., 0], table[..., 1]] for repeat in range(op.repeats)])
    return dealt.swapaxes(2, 3).reshape(prod(dealt.shape[:2]), -1)


def _held(w: WorkGroup, op: ops.MmaAsync, found: MatrixInstruction, values: Array) -> Array:
    """[repeat, step, row, k] of what the registers of a group hold."""
    assert found.held is not None
    table = found.held.table()[:, :, :, 0]
    parts = values.reshape(op.repeats, op.steps, len(table), found.warps, w.subgroup_size).swapaxes(3, 4)
    out = np.zeros((op.repeats, op.steps, *found.held.shape), values.dtype)
    out[:, :, table[..., 0], table[..., 1]] = parts
    return out


def _await_mma(w: WorkGroup, op: Operation) -> None:
    assert isinstance(op, ops.AwaitMma)
    _all_there(w, op)
    w.values[op.out] = _awaited(w, registers(w, op.accumulators), op.pending, op.others)


def handlers() -> Mapping[type[Operation], Handler]:
    """Handlers of this file by operation."""
    return {
        gpu.Mma: _mma_tiles,
        gpu.AwaitMma: _await_tiles,
        gpu.ReadParts: _read_parts,
        gpu.MmaParts: _mma_parts,
        ops.LoadMatrices: _load_matrices,
        ops.Mma: _mma,
        ops.MmaAsync: _mma_async,
        ops.AwaitMma: _await_mma,
    }
