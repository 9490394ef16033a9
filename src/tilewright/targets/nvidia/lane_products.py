"""Products of the lane level as code of one thread: copies that go on by themselves, matrix instructions.

Groups of four warps find a factor by a descriptor of 64 bits: bits 0 to 13 the address, 16 to 29 the distance of slabs,
32 to 45 that of eight rows, all in units of 16 bytes; bits 62 and 63 are 1, 2, 3 where 128, 64, 32 bytes are swizzled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from tilewright.dialects import gpu_products as gpu
from tilewright.dialects import lane
from tilewright.dialects import lane_products as ops
from tilewright.dialects.gpu_products import memref_of
from tilewright.dialects.lane_products import spot
from tilewright.dialects.matrix_instructions import MatrixInstruction, instruction_of
from tilewright.ir import core
from tilewright.ir.layouts import Owner
from tilewright.ir.swizzles import SWIZZLED_LINES
from tilewright.ir.types import MemrefType
from tilewright.targets.llvm.emitter import Value, constant, i32, i64
from tilewright.targets.llvm.types import ELEMENTS
from tilewright.targets.nvidia.async_copies import commit, copy_async, wait
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.lanes import WORD_BITS, apart, packed, slots_of, words_of
from tilewright.targets.nvidia.memory import (
    address,
    address_behind,
    checked_indices,
    element_pointer,
    in_bounds,
    within_period,
)
from tilewright.targets.nvidia.values import Fragment, View, Words
from tilewright.transforms.emit import constant_of

_UNIT: Final = 16
_ADDRESSES: Final = (1 << 18) - 1
_ROWS: Final = 8
_SWIZZLED: Final = dict(zip(SWIZZLED_LINES, (1 << 30, -2 << 30, -1 << 30), strict=True))
"""In the upper half, by bytes of a line; the highest bit is a sign to LLVM."""
_HALF_BITS: Final = 16
_FAR: Final = 1 << 29
"""Elements of a mode, of which a thread copies none so far from its first one."""
_COLUMNS: Final = ((0x6420, 0x2064), (0x7531, 0x3175))
"""Which bytes of two words are even ones, and odd ones, those of the first word first or last."""
_REGISTERS: Final = {"float": "=f", "i32": "=r"}
"""Of accumulators of groups of warps, by type, as constraints of assembly."""


def _moved(ctx: KernelContext, view: View, pointer: Value, offset: Sequence[int]) -> Value:
    """A pointer so many elements further on along each mode."""
    distance = i64(0)
    for steps, stride in zip(offset, view.strides, strict=True):
        distance = ctx.b.add(distance, ctx.b.mul(i64(steps), stride))
    return element_pointer(ctx, view.element, pointer, distance)


class _Places:
    """Addresses in a buffer, whose bytes may be swizzled, from some place on."""

    def __init__(self, ctx: KernelContext, memory: core.Value, spots: Sequence[core.Value]) -> None:
        self._ctx, self._view = ctx, ctx.view(memory)
        self._whole, self._rest = within_period(ctx, memory, spots)
        swizzle = self._view.type.swizzle
        self._period = 1 if swizzle is None else swizzle.period
        self._known: dict[int, tuple[Sequence[int], Value]] = {}

    def at(self, offset: Sequence[int]) -> Value:
        """That of an element so far along each mode: whole periods from another one, nothing is permuted anew."""
        ctx, view = self._ctx, self._view
        steps = sum(k * (stride or 0) for k, stride in zip(offset, view.type.strides, strict=True))
        start = steps * view.type.element.bytes % self._period
        if start not in self._known:
            rest = [ctx.b.add(at, i64(k)) for at, k in zip(self._rest, offset, strict=True)]
            self._known[start] = (offset, address_behind(ctx, view, self._whole, rest))
        first, pointer = self._known[start]
        return _moved(ctx, view, pointer, [k - at for k, at in zip(offset, first, strict=True)])


def _copy(ctx: KernelContext, op: core.Operation) -> None:
    """One instruction for each run of `width` elements."""
    assert isinstance(op, ops.CopyAsync)
    b, source = ctx.b, ctx.view(op.memref)
    starts = [ctx.scalar(index) for index in op.indices]
    bytes_ = op.width * memref_of(op.memref).element.bytes
    read, places = address(ctx, source, starts), _Places(ctx, op.target, op.target_indices)
    there = list(lane.offsets(op.target_registers, len(op.target_indices)))
    bounds = _Bounds(ctx, op, source, starts) if op.fills else None
    for run, offset in enumerate(lane.offsets(op.registers, len(starts))):
        if run % op.width:
            continue
        place = places.at(there[run])
        origin = _moved(ctx, source, read, offset)
        if bounds is not None:
            copy_async(ctx, place, origin, bytes_, bounds.given(offset), shared=op.shared)
        else:
            at = checked_indices(ctx, starts, offset, op.check)
            with b.if_then(in_bounds(ctx, source, at, op.check)):
                copy_async(ctx, place, origin, bytes_, shared=op.shared)


class _Bounds:
    """Where the matrix of a copy ends, seen from the first element of a thread: in 32 bits, for what a thread copies
    lies near that, and the tests of each copy are half as many instructions."""

    def __init__(self, ctx: KernelContext, op: ops.CopyAsync, source: View, starts: Sequence[Value]) -> None:
        self._ctx, self._op = ctx, op
        self._near = op.registers[0][1] if op.registers else None
        self._first: dict[int, Value] = {}
        self._left: dict[int, Value] = {}
        for mode, checked in enumerate(op.check):
            if checked:
                left = ctx.b.sub(source.sizes[mode], starts[mode])
                self._first[mode], self._left[mode] = self._clamped(starts[mode]), self._clamped(left)

    def _clamped(self, value: Value) -> Value:
        """As near as matters: sums with offsets stay in 32 bits."""
        b = self._ctx.b
        return b.trunc(b.smin(b.smax(value, i64(-_FAR)), i64(_FAR)), "i32")

    def given(self, offset: Sequence[int]) -> Value | None:
        """Bytes of the copy at an offset that lie inside; None if all do."""
        if not self._first:
            return None
        b, size = self._ctx.b, memref_of(self._op.memref).element.bytes
        inside = constant("i32", self._op.width * size)
        if self._near in self._first and self._op.width > 1:
            left = b.sub(self._left[self._near], i32(offset[self._near]))
            inside = b.mul(b.smin(b.smax(left, i32(0)), i32(self._op.width)), i32(size))
        for mode in self._first:
            inside = b.select(self._is_inside(mode, offset[mode]), inside, i32(0))
        return inside

    def _is_inside(self, mode: int, offset: int) -> Value:
        """Whether an element lies in the matrix along a mode: behind its first and in front of its end."""
        b = self._ctx.b
        at, end = b.add(self._first[mode], i32(offset)), b.add(self._first[mode], self._left[mode])
        return b.icmp("ult", at, end)


def _commit(ctx: KernelContext, op: core.Operation) -> None:
    commit(ctx)


def _await_copies(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, gpu.AwaitCopies)
    wait(ctx, op.pending)


def _fence(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, gpu.FenceAsync)
    ctx.b.intrinsic_void(f"llvm.nvvm.fence.proxy.async{'' if op.everywhere else '.shared_cta'}", [])


def _load_matrices(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.LoadMatrices)
    view = ctx.view(op.memref)
    places = _Places(ctx, op.memref, op.indices)
    words: list[Value] = []
    for start, count in zip(op.starts, op.counts, strict=True):
        words += matrix_words(ctx, places.at(start), count, transposed=op.transposed)
    if op.transposed and memref_of(op.memref).element.bytes == 1:
        words = _columns_of_bytes(ctx, words)
    ctx.bind(op.out, Words(tuple(words), view.element))


def matrix_words(ctx: KernelContext, place: Value, count: int, *, transposed: bool) -> list[Value]:
    """What a thread gets of 1, 2 or 4 matrices, a word of each; `place` is where a row of one of them lies."""
    type_ = "i32" if count == 1 else f"{{ {', '.join(['i32'] * count)} }}"
    name = f"llvm.nvvm.ldmatrix.sync.aligned.m8n8.x{count}{'.trans' if transposed else ''}.b16"
    found = ctx.b.intrinsic(name, type_, [place], overload=[place.type])
    return [found] if count == 1 else [ctx.b.extract_value(found, "i32", k) for k in range(count)]


def _columns_of_bytes(ctx: KernelContext, words: Sequence[Value]) -> list[Value]:
    """Of words with two neighbours each of two rows, from pairs of matrices, words of four of a column."""
    b = ctx.b
    is_first = b.icmp("eq", b.and_(ctx.warp_lane, i32(ops.PAIR)), i32(0))
    chosen = [b.select(is_first, i32(one), i32(other)) for one, other in _COLUMNS]
    return [
        b.intrinsic("llvm.nvvm.prmt", "i32", [*words[k : k + ops.PAIR], each], overload=[])
        for k in range(0, len(words), ops.PAIR)
        for each in chosen
    ]


def _mma(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, ops.Mma)
    found = _instruction(op)
    counts = [layout.count(Owner.REG) // found.word_elements for layout in (found.rows, found.columns)]
    left, right = (
        [prepared(ctx, found, words[k : k + count]) for k in range(0, len(words), count)]
        for words, count in zip((words_of(ctx, op.left), words_of(ctx, op.right)), counts, strict=True)
    )
    accumulators, each = _values(ctx, op.accumulators), found.accumulators.count(Owner.REG)
    for r, c in _order(found, len(left), len(right)):
        mine = slice(each * (r + len(left) * c), each * (r + len(left) * c + 1))
        accumulators[mine] = multiplied(ctx, found, left[r], right[c], accumulators[mine])
    ctx.bind(op.out, Fragment(tuple(accumulators)))


def _order(found: MatrixInstruction, rows: int, columns: int) -> Sequence[tuple[int, int]]:
    """Rows and columns of the instructions of a step.

    Scalars go along pairs of columns to and fro, so that each shares a factor with the one before, which the assembler
    keeps then; what it reads lies in one bank of the registers less often. Measured on an H200, f32, 4096, of cuBLAS:
    0.93, along columns 0.90, to and fro along rows 0.88, for which the assembler takes more registers.
    """
    if not found.is_scalar or columns % 2:
        return [(r, c) for c in range(columns) for r in range(rows)]
    pairs = [(r, c) for c in range(0, columns, 2) for r in (range(rows) if c % 4 == 0 else reversed(range(rows)))]
    return [(r, c + (k ^ r % 2)) for r, c in pairs for k in range(2)]


def _instruction(op: ops.Mma | ops.MmaAsync) -> MatrixInstruction:
    found = instruction_of(op.instruction)
    assert found is not None, "the verifier has asked"
    return found


def _values(ctx: KernelContext, fragment: core.Value) -> list[Value]:
    return [slot for slot in slots_of(ctx, fragment) if isinstance(slot, Value)]


def prepared(ctx: KernelContext, found: MatrixInstruction, words: Sequence[Value]) -> list[list[Value]]:
    """The registers of a part of a factor for each time that the intrinsic is called."""
    b = ctx.b
    if not found.conversion:
        return [[b.bitcast(word, found.word) for word in words]]
    if found.rounds:
        return [[b.intrinsic(found.conversion, "i32", [b.bitcast(word, found.word)], overload=[]) for word in words]]
    parts = (words, [b.lshr(word, i32(_HALF_BITS)) for word in words])
    name, type_ = found.conversion, "<2 x half>"
    return [[b.intrinsic(name, type_, [b.trunc(word, "i16")], overload=[]) for word in part] for part in parts]


def multiplied(
    ctx: KernelContext,
    found: MatrixInstruction,
    left: Sequence[Sequence[Value]],
    right: Sequence[Sequence[Value]],
    accumulators: Sequence[Value],
) -> list[Value]:
    """The accumulators of an instruction, from what is prepared of its factors."""
    if found.is_scalar:
        ((x,),), ((y,),), (total,) = left, right, accumulators
        result = ctx.arith.lower("fma", found.sum.name, x, y, total)
        assert isinstance(result, Value)
        return [result]
    for rows, columns in zip(left, right, strict=True):
        accumulators = _by_intrinsic(ctx, found, rows, columns, accumulators)
    return list(accumulators)


def _by_intrinsic(
    ctx: KernelContext,
    found: MatrixInstruction,
    left: Sequence[Value],
    right: Sequence[Value],
    accumulators: Sequence[Value],
) -> list[Value]:
    b, element = ctx.b, ELEMENTS[found.sum.name]
    is_narrow = element.bits < WORD_BITS
    given = [b.bitcast(word, found.word) for word in packed(ctx, accumulators, element)] if is_narrow else accumulators
    ltype = given[0].type
    struct = f"{{ {', '.join([ltype] * len(given))} }}"
    result = b.intrinsic(found.intrinsic, struct, [*left, *right, *given], overload=[])
    words = [b.extract_value(result, ltype, k) for k in range(len(given))]
    return [part for word in words for part in apart(ctx, element, b.bitcast(word, "i32"))] if is_narrow else words


# Groups of warps


def _mma_async(ctx: KernelContext, op: core.Operation) -> None:
    """All products of an operation as one text: accumulators of a hundred registers would go in and out of each."""
    assert isinstance(op, ops.MmaAsync)
    b, found = ctx.b, _instruction(op)
    accumulators, anew = _values(ctx, op.accumulators), _is_nothing(op.accumulators)
    products = _Products(found, op.along, len(accumulators))
    held = [products.operand(b.bitcast(word, "i32")) for word in words_of(ctx, op.rows)] if op.holds_rows else []
    at_rows = None if held else _descriptor(ctx, op.rows, op.row_indices, op.along[0])
    at_columns = _descriptor(ctx, op.columns, op.column_indices, op.along[1])
    words = len(held) // (op.repeats * op.steps)
    (m, _, k), each = found.shape, len(accumulators) // op.repeats
    for step in range(op.steps):
        deep = (op.first + step) * k
        right = products.operand(at_columns.at(ctx, _units(memref_of(op.columns), op.along[1], 0, deep)))
        for repeat in range(op.repeats):
            part = words * (repeat * op.steps + step)
            left = held[part : part + words]
            if at_rows is not None:
                further = _units(memref_of(op.rows), op.along[0], repeat * m, deep)
                left = [products.operand(at_rows.at(ctx, further))]
            products.add(range(each * repeat, each * (repeat + 1)), left, right, anew=anew and step == 0)
    if anew:
        b.intrinsic_void("llvm.nvvm.wgmma.fence.sync.aligned", [])
    accumulators = products.emitted(ctx, accumulators, tied=not anew)
    b.intrinsic_void("llvm.nvvm.wgmma.commit_group.sync.aligned", [])
    ctx.bind(op.out, Fragment(tuple(accumulators)))


def _is_nothing(accumulators: core.Value) -> bool:
    """Whether products are added to zeros."""
    op = accumulators.defining_op
    return constant_of(op.value if isinstance(op, lane.Fill) else accumulators) == 0


class _Descriptor(NamedTuple):
    """The lower half, where the address is, and the upper one.

    Threads compute descriptors while the unit waits for them: with 64 bits that would take twice as many instructions.
    """

    lower: Value
    upper: int

    def at(self, ctx: KernelContext, units: int) -> Value:
        """So many units further on, which are in shared memory too."""
        b = ctx.b
        return b.or_(b.zext(b.add(self.lower, i32(units)), "i64"), i64(self.upper << 32))


def _descriptor(ctx: KernelContext, memory: core.Value, indices: Sequence[core.Value], along: bool) -> _Descriptor:
    """Of what begins at a whole slab and a multiple of eight rows, where the swizzle moves nothing."""
    b, view, type_ = ctx.b, ctx.view(memory), memref_of(memory)
    distance = i64(0)
    for index, stride in zip(indices, view.strides, strict=True):
        distance = b.add(distance, b.mul(ctx.scalar(index), stride))
    pointer = element_pointer(ctx, view.element, view.pointer, distance)
    place = b.trunc(b.cast("ptrtoint", pointer, "i64"), "i32")
    units = b.lshr(b.and_(place, i32(_ADDRESSES)), i32(_UNIT.bit_length() - 1))
    slabs = (type_.strides[2] or 0) * type_.element.bytes // _UNIT if along else 1
    rows = _ROWS * (type_.strides[1] or 0) * type_.element.bytes // _UNIT
    swizzled = _SWIZZLED[(type_.shape[0] or 0) * type_.element.bytes]
    return _Descriptor(b.or_(units, i32(slabs << 16)), swizzled | rows)


def _units(factor: MemrefType, along: bool, outer: int, deep: int) -> int:
    """How much further on in units of 16 bytes a part begins; swizzling is the machine's affair."""
    near, far = (outer, deep) if along else (deep, outer)
    steps = zip(spot(factor, near, far), factor.strides, strict=False)
    return sum(k * (stride or 0) for k, stride in steps) * factor.element.bytes // _UNIT


class _Products:
    """Products of a group of warps, one behind the other, of one type and with the same `count` accumulators."""

    def __init__(self, found: MatrixInstruction, along: tuple[bool, bool], count: int) -> None:
        self._found, self._along, self._count = found, along, count
        self._operands: list[Value] = []
        self._text: list[str] = []

    def operand(self, value: Value) -> str:
        """What stands for an operand in the text."""
        self._operands.append(value)
        return f"${self._count + len(self._operands) - 1}"

    def add(self, accumulators: Iterable[int], rows: Sequence[str], columns: str, *, anew: bool) -> None:
        """One product. Bits behind the signs say which factor in memory runs along m or n; integers have neither.

        Accumulators begin `anew` where what they were does not matter.
        """
        found, held = self._found, len(rows) > 1
        turned = ", " + ", ".join(str(int(each)) for each in self._along[held:]) if found.turns_factors else ""
        signs = "" if found.sum.is_integer else f", 1, 1{turned}"
        names, left = ",".join([f"${k}" for k in accumulators]), ",".join(rows)
        self._text.append(
            f"{{ .reg .pred p; setp.ne.b32 p, {0 if anew else 1}, 0; "
            f"{found.intrinsic} {{{names}}}, {f'{{{left}}}' if held else left}, {columns}, p{signs}; }}"
        )

    def emitted(self, ctx: KernelContext, accumulators: Sequence[Value], *, tied: bool) -> list[Value]:
        """The accumulators behind all of them. What writes `tied` ones does so in front of the fence."""
        fence = ["wgmma.fence.sync.aligned;"] if tied else []
        given = ",".join("r" if value.type == "i32" else "l" for value in self._operands)
        return _assembly(ctx, " ".join([*fence, *self._text]), given, self._operands, accumulators, tied=tied)


def _await_mma(ctx: KernelContext, op: core.Operation) -> None:
    """All accumulators, when they are there: nothing that uses them may move in front. Those that are on their way
    stay."""
    assert isinstance(op, ops.AwaitMma)
    accumulators = _values(ctx, op.accumulators)
    if op.pending and not op.others:
        ctx.b.intrinsic_void("llvm.nvvm.wgmma.wait_group.sync.aligned", [i64(op.pending)])
        ctx.bind(op.out, Fragment(tuple(accumulators)))
        return
    found = _assembly(ctx, f"wgmma.wait_group.sync.aligned {op.pending};", "", [], accumulators)
    ctx.bind(op.out, Fragment(tuple(found)))


def _assembly(
    ctx: KernelContext,
    text: str,
    constraints: str,
    operands: Sequence[Value],
    accumulators: Sequence[Value],
    *,
    tied: bool = True,
) -> list[Value]:
    """What an instruction makes of accumulators, which stay in their registers if they are `tied`, else are new.

    `constraints` are those of the other operands.
    """
    count, type_ = len(accumulators), accumulators[0].type
    # results that are new are written while operands are still read
    parts = [_REGISTERS[type_] if tied else _REGISTERS[type_].replace("=", "=&")] * count
    parts += [constraints] if constraints else []
    parts += [str(k) for k in range(count)] if tied else []
    struct = f"{{ {', '.join([type_] * count)} }}"
    given = [*operands, *accumulators] if tied else [*operands]
    found = ctx.b.inline_asm(struct, text, ",".join(parts), given, side_effect=True)
    return [ctx.b.extract_value(found, type_, k) for k in range(count)]


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        gpu.CommitCopies: _commit,
        gpu.AwaitCopies: _await_copies,
        gpu.FenceAsync: _fence,
        ops.CopyAsync: _copy,
        ops.LoadMatrices: _load_matrices,
        ops.Mma: _mma,
        ops.MmaAsync: _mma_async,
        ops.AwaitMma: _await_mma,
    }
