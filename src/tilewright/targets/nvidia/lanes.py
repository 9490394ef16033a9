"""The lane level as code of one thread: a fragment is as many LLVM values as it has registers.

The code is that of the operations; nothing is decided here. Registers of one access are those of a vector.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Final

from tilewright.dialects import arith, arith_floats, lane
from tilewright.dialects import math as math_ops
from tilewright.dialects.addresses import Scatter
from tilewright.dialects.gpu_stores import StoreSlab
from tilewright.dialects.lane import fragment_of
from tilewright.dialects.lane_products import MmaAsync
from tilewright.dialects.scf import For, Yield
from tilewright.ir import core
from tilewright.ir.types import BF16, F16, F32, FragmentType, MemrefType
from tilewright.targets.llvm.emitter import Value, i32, i64
from tilewright.targets.llvm.types import ELEMENTS, Element
from tilewright.targets.nvidia import warp
from tilewright.targets.nvidia.addresses import Access, Reader, access_element, scatter_element
from tilewright.targets.nvidia.context import KernelContext, OpLowering
from tilewright.targets.nvidia.elementwise import apply
from tilewright.targets.nvidia.float_bounds import bounds_of
from tilewright.targets.nvidia.guards import guarded_all
from tilewright.targets.nvidia.lane_runs import Runs, Transfer
from tilewright.targets.nvidia.memory import (
    address,
    load_elements,
    load_together,
    store_elements,
    store_together,
)
from tilewright.targets.nvidia.quotients import pays, quotients
from tilewright.targets.nvidia.values import Fragment, Operand, View, Words

WORD_BITS = 32
HALF_BITS = 16
_LEAST_EXPONENT: Final = -126.0
"""Of 2, of a normal number of 32 bits."""


def is_fragment(value: core.Value) -> bool:
    """Whether the value is the registers of a thread."""
    return isinstance(value.type, FragmentType)


_PARTS_OF_WORDS: Final = (8, 16)
"""Bits of elements of which several are shuffled at a time."""


def slots_of(ctx: KernelContext, value: core.Value) -> tuple[Operand, ...]:
    """The registers of a fragment."""
    found = ctx.values[value]
    if isinstance(found, Words):
        return in_elements(ctx, found)
    assert isinstance(found, Fragment)
    return found.slots


def in_elements(ctx: KernelContext, found: Words) -> tuple[Value, ...]:
    """What words consist of."""
    return tuple(part for word in found.words for part in apart(ctx, found.element, word))


def apart(ctx: KernelContext, element: Element, word: Value) -> list[Value]:
    """The elements of a word, low bits first."""
    b, bits = ctx.b, element.bits
    parts = [b.trunc(b.lshr(word, i32(first)), f"i{bits}") for first in range(0, WORD_BITS, bits)]
    return [b.bitcast(part, element.llvm) for part in parts]


def words_of(ctx: KernelContext, value: core.Value) -> tuple[Value, ...]:
    """The registers of a fragment as words, of elements of less than four bytes; of others each is one."""
    found = ctx.values[value]
    if isinstance(found, Words):
        return found.words
    slots = [slot for slot in slots_of(ctx, value) if isinstance(slot, Value)]
    return packed(ctx, slots, ELEMENTS[fragment_of(value).element.name])


def narrow_words(type_: FragmentType) -> Element | None:
    """The element of a fragment of whole words of floats of 16 bits; None of others."""
    return ELEMENTS[type_.element.name] if type_.element in (F16, BF16) and type_.size % 2 == 0 else None


def packed(ctx: KernelContext, slots: Sequence[Value], element: Element) -> tuple[Value, ...]:
    """Elements of less than four bytes as words, with the first in the low bits; of others each is one."""
    b, each, words = ctx.b, WORD_BITS // element.bits, list[Value]()
    if each <= 1:
        return tuple(slots)
    for first in range(0, len(slots), each):
        word = i32(0)
        for k, slot in enumerate(slots[first : first + each]):
            part = b.zext(b.bitcast(slot, f"i{element.bits}"), "i32")
            word = b.or_(word, b.shl(part, i32(k * element.bits)))
        words.append(word)
    return tuple(words)


def lower_elementwise(ctx: KernelContext, op: core.Operation) -> None:
    """An operation of `arith` or `math` on each register; on those that hold the same, once."""
    if _is_inside_a_unit_power(op):
        return
    count = fragment_of(op.results[0]).size
    if (exponent := _unit_exponent(op)) is not None:
        ctx.bind(op.results[0], Fragment(tuple(_unit_power(ctx, slot) for slot in slots_of(ctx, exponent))))
        return
    if _is_kept_in_words(op):
        ctx.bind(op.results[0], _narrowed(ctx, op))
        return
    if (chosen := _chosen(ctx, op)) is not None:
        ctx.bind(op.results[0], chosen)
        return
    operands = [slots_of(ctx, o) if is_fragment(o) else (ctx.operand(o),) * count for o in op.operands]
    rows = list(zip(*operands, strict=True)) if operands else [()] * count
    known = _shared_divisions(ctx, rows, tiny=not _is_rounded_to_f16(op)) if _divides(op) else {}
    slots: list[Operand] = []
    for row in rows:
        if row not in known:
            known[row] = apply(ctx.arith, op, row)
        slots.append(known[row])
    ctx.bind(op.results[0], Fragment(tuple(slots)))


def _unit_exponent(op: core.Operation) -> core.Value | None:
    """What an operation computes the power of 2 of, if the unit does so in one step: with subnormal numbers as zeros,
    or of what is no less than the exponent of a normal one."""
    if isinstance(op, math_ops.Exp2):
        is_f32 = is_fragment(op.value) and fragment_of(op.value).element is F32
        return op.value if is_f32 and bounds_of(op.value)[0] >= _LEAST_EXPONENT else None
    power = op.value.defining_op if isinstance(op, arith_floats.Flush) else None
    flushed = power.value.defining_op if isinstance(power, math_ops.Exp2) else None
    return flushed.value if isinstance(flushed, arith_floats.Flush) else None


def _is_inside_a_unit_power(op: core.Operation) -> bool:
    """Whether all that is asked for is what the unit computes in one step of something in front of it."""
    if isinstance(op, math_ops.Exp2):
        return all(_unit_exponent(user) is not None for user in op.out.uses)
    return isinstance(op, arith_floats.Flush) and all(
        isinstance(user, math_ops.Exp2) and _is_inside_a_unit_power(user) for user in op.out.uses
    )


def _unit_power(ctx: KernelContext, slot: Operand) -> Value:
    assert isinstance(slot, Value)
    return ctx.b.intrinsic("llvm.nvvm.ex2.approx.ftz.f", "float", [slot], overload=[])


def _is_kept_in_words(op: core.Operation) -> bool:
    """Whether floats become 16 bits wide for what takes words of two: products and loops."""
    if not isinstance(op, arith.Cast) or fragment_of(op.value).element is not F32:
        return False
    type_ = fragment_of(op.out)
    return type_.element in (F16, BF16) and type_.size % 2 == 0 and any(map(_takes_words, op.out.uses))


def _takes_words(user: core.Operation) -> bool:
    """Whether an operation has a use for words, or takes out or chooses registers for such."""
    if isinstance(user, lane.Pick | arith.Select):
        return any(map(_takes_words, user.results[0].uses))
    return isinstance(user, MmaAsync | StoreSlab | For | Yield | lane.Flip)


def _narrowed(ctx: KernelContext, op: core.Operation) -> Words:
    """Both elements of a word at once."""
    b, element = ctx.b, ELEMENTS[fragment_of(op.results[0]).element.name]
    slots = [slot for slot in slots_of(ctx, op.operands[0]) if isinstance(slot, Value)]
    narrow = fragment_of(op.results[0]).element
    name, pair = f"llvm.nvvm.ff2{narrow}x2.rn", "<2 x half>" if narrow is F16 else "<2 x bfloat>"
    words = [
        b.intrinsic(name, pair, [high, low], overload=[]) for low, high in zip(slots[::2], slots[1::2], strict=True)
    ]
    return Words(tuple(b.bitcast(word, f"i{WORD_BITS}") for word in words), element)


def _chosen(ctx: KernelContext, op: core.Operation) -> Words | None:
    """One of two fragments of words, if all registers are chosen alike."""
    if not isinstance(op, arith.Select):
        return None
    first, second = (ctx.values[value] for value in (op.on_true, op.on_false))
    if not (isinstance(first, Words) and isinstance(second, Words)):
        return None
    conditions = set(slots_of(ctx, op.condition)) if is_fragment(op.condition) else {ctx.operand(op.condition)}
    if len(conditions) > 1:
        return None
    (condition,) = conditions
    assert isinstance(condition, Value)
    pairs = zip(first.words, second.words, strict=True)
    return Words(tuple(ctx.b.select(condition, one, other) for one, other in pairs), first.element)


def _divides(op: core.Operation) -> bool:
    return isinstance(op, arith.Div) and fragment_of(op.out).element is F32


def _is_rounded_to_f16(op: core.Operation) -> bool:
    """Whether all that becomes of a result are numbers of f16."""
    uses = op.results[0].uses
    return all(isinstance(use, arith.Cast) and fragment_of(use.out).element is F16 for use in uses)


def _shared_divisions(
    ctx: KernelContext, rows: Iterable[tuple[Operand, ...]], *, tiny: bool
) -> dict[tuple[Operand, ...], Operand]:
    """The quotients of what is divided by the same as enough others, the `tiny` ones too if they matter."""
    dividends: dict[Value, dict[Value, None]] = {}
    for x, y in rows:
        assert isinstance(x, Value)
        assert isinstance(y, Value)
        dividends.setdefault(y, {})[x] = None
    found: dict[tuple[Operand, ...], Operand] = {}
    for y, numbers in dividends.items():
        if pays(list(numbers), y):
            found |= {(x, y): q for x, q in zip(numbers, quotients(ctx, list(numbers), y, tiny=tiny), strict=True)}
    return found


# Memory


def _load(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Load)
    runs, found, each = Runs(ctx, op, op.memref), dict[int, Sequence[Operand]](), 1
    element = runs.view.element
    if all(_stays_in_words(op.out, use) for use in op.out.uses):
        each = _in_a_word(op)

    def read_run(place: Value) -> Sequence[Operand]:
        if each > 1:
            return load_together(ctx, f"i{WORD_BITS}", WORD_BITS // 8, place, op.width // each)
        return load_elements(ctx, element, place, op.width)

    def read(places: Iterable[Callable[[], Value]]) -> list[Operand]:
        return [slot for place in places for slot in read_run(place())]

    count = op.width // each
    zero = i32(0) if each > 1 else ctx.arith.constant(element.name, 0)
    for inside, places in runs:
        zeros = [zero] * (len(places) * count)
        given = guarded_all(ctx, inside, partial(read, places.values()), lambda zeros=zeros: zeros)
        found |= {number: given[k * count : (k + 1) * count] for k, number in enumerate(places)}
    slots = [slot for number in sorted(found) for slot in found[number]]
    if each > 1:
        ctx.bind(op.out, Words(tuple(slot for slot in slots if isinstance(slot, Value)), element))
    else:
        ctx.bind(op.out, Fragment(tuple(slots)))


def _stays_in_words(value: core.Value, use: core.Operation) -> bool:
    """Whether an operation takes what is loaded in words as they are: into memory, or out of a branch or loop."""
    if isinstance(use, Yield):
        return narrow_words(fragment_of(value)) is not None
    return isinstance(use, lane.Store) and _in_a_word(use) > 1


def _in_a_word(op: Transfer) -> int:
    """Elements that lie in a word of an access; 1 if an access has no whole words of several."""
    fragment = fragment_of(op.out if isinstance(op, lane.Load) else op.value)
    bits = ELEMENTS[fragment.element.name].bits
    return WORD_BITS // bits if 1 < bits < WORD_BITS and op.width * bits % WORD_BITS == 0 else 1


def _store(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Store)
    found = ctx.values[op.value]
    if isinstance(found, Words) and _in_a_word(op) > 1:
        _store_words(ctx, op, found)
        return
    runs, slots = Runs(ctx, op, op.memref), slots_of(ctx, op.value)
    for inside, places in runs:
        with ctx.b.if_then(inside):
            for number, place in places.items():
                run = slots[number * op.width : (number + 1) * op.width]
                store_elements(ctx, runs.view.element, run, place())


def _store_words(ctx: KernelContext, op: lane.Store, value: Words) -> None:
    """What nobody has taken apart is not put together."""
    count = op.width // _in_a_word(op)
    for inside, places in Runs(ctx, op, op.memref):
        with ctx.b.if_then(inside):
            for number, place in places.items():
                words = value.words[number * count : (number + 1) * count]
                store_together(ctx, words, WORD_BITS // 8, place())


def _synchronize(ctx: KernelContext, op: core.Operation) -> None:
    warp.synchronize(ctx)


def _elect(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Elect)
    found = ctx.b.intrinsic("llvm.nvvm.elect.sync", "{ i32, i1 }", [i32(-1)], overload=[])
    ctx.bind(op.out, ctx.b.extract_value(found, "i1", 1))


def _all(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.All)
    said = ctx.scalar(op.condition)
    ctx.bind(op.out, ctx.b.intrinsic("llvm.nvvm.vote.all.sync", "i1", [i32(-1), said], overload=[]))


def _aligned(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Aligned)
    b = ctx.b
    at = b.cast("ptrtoint", address(ctx, ctx.view(op.memref), [ctx.scalar(index) for index in op.indices]), "i64")
    ctx.bind(op.out, b.icmp("eq", b.and_(at, i64(op.bytes - 1)), i64(0)))


def _row(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Row)
    assert isinstance(op.out.type, MemrefType)
    view, (size,) = ctx.view(op.memref), op.out.type.shape
    pointer = address(ctx, view, [ctx.scalar(index) for index in op.indices])
    ctx.bind(op.out, View(op.out.type, pointer, (i64(size or 0),), (i64(1),), view.base))


def lower_access(ctx: KernelContext, op: core.Operation) -> None:
    """A gather, scatter or atomic update of each register."""
    assert isinstance(op, Access)

    def reader(register: int) -> Reader:
        return lambda value: slots_of(ctx, value)[register]

    registers = range(fragment_of(op.addresses).size)
    if isinstance(op, Scatter):
        for register in registers:
            scatter_element(ctx, op, reader(register))
    else:
        ctx.bind(op.out, Fragment(tuple(access_element(ctx, op, reader(register)) for register in registers)))


# Registers


def _fill(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Fill)
    ctx.bind(op.out, Fragment((ctx.operand(op.value),) * fragment_of(op.out).size))


def _numbers(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Numbers)
    element = ELEMENTS[fragment_of(op.out).element.name]
    ctx.bind(op.out, Fragment(tuple(ctx.arith.constant(element.name, number) for number in op.values)))


def _pick(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Pick)
    found = [ctx.values[value] for value in op.fragments]
    words = [word for each in found if isinstance(each, Words) for word in each.words]
    if isinstance(first := found[0], Words) and all(isinstance(each, Words) for each in found):
        each = WORD_BITS // first.element.bits
        starts = op.registers[::each]
        if op.registers == tuple(start + k for start in starts for k in range(each) if start % each == 0):
            ctx.bind(op.out, Words(tuple(words[start // each] for start in starts), first.element))
            return
    slots = [slot for value in op.fragments for slot in slots_of(ctx, value)]
    ctx.bind(op.out, Fragment(tuple(slots[register] for register in op.registers)))


def _item(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Item)
    ctx.bind(op.out, slots_of(ctx, op.fragment)[op.register])


def _flip(ctx: KernelContext, op: core.Operation) -> None:
    assert isinstance(op, lane.Flip)
    type_ = fragment_of(op.fragment)
    element = ELEMENTS[type_.element.name]
    if element.bits in _PARTS_OF_WORDS and type_.size * element.bits % WORD_BITS == 0:
        words = [warp.shuffle(ctx, "bfly", word, i32(op.lanes)) for word in words_of(ctx, op.fragment)]
        ctx.bind(op.out, Words(tuple(word for word in words if isinstance(word, Value)), element))
        return
    slots = slots_of(ctx, op.fragment)
    ctx.bind(op.out, Fragment(tuple(warp.shuffle(ctx, "bfly", slot, i32(op.lanes)) for slot in slots)))


def _behind(ctx: KernelContext, op: core.Operation) -> None:
    """A zero that nobody knows before all threads of the warp have come here is added to each word."""
    assert isinstance(op, lane.Behind)
    b = ctx.b
    zero = b.xor(b.intrinsic("llvm.nvvm.activemask", "i32", [], overload=[]), i32(-1))
    found = ctx.values[op.fragment]
    if isinstance(found, Words):
        ctx.bind(op.out, Words(tuple(b.or_(word, zero) for word in found.words), found.element))
        return
    element = ELEMENTS[fragment_of(op.out).element.name]
    word, kept = f"i{element.bits}", list[Value]()
    for slot in slots_of(ctx, op.fragment):
        assert isinstance(slot, Value)
        change = zero if element.bits == WORD_BITS else (b.trunc if element.bits < WORD_BITS else b.zext)(zero, word)
        kept.append(b.bitcast(b.or_(b.bitcast(slot, word), change), element.llvm))
    ctx.bind(op.out, Fragment(tuple(kept)))


def lowerings() -> Mapping[type[core.Operation], OpLowering]:
    """Lowerings of this file by operation."""
    return {
        lane.Load: _load,
        lane.Store: _store,
        lane.Synchronize: _synchronize,
        lane.Elect: _elect,
        lane.All: _all,
        lane.Aligned: _aligned,
        lane.Row: _row,
        lane.Fill: _fill,
        lane.Numbers: _numbers,
        lane.Pick: _pick,
        lane.Item: _item,
        lane.Flip: _flip,
        lane.Behind: _behind,
    }
