"""Work-groups beside each other as one, with tiles as large as theirs together.

    %y = team.group_id {dim = 1}                            %p = team.group_id {dim = 1}
                                                            %y = %p * 2
    %j = %y * 128                                           %j = %y * 128
    %q = tile.load %b, %j, %k -> tile<128x64xf16>           %q = tile.load %b, %j, %k -> tile<256x64xf16>
    %next = tile.mma %q, %p, %acc -> tile<128x128xf32>      %next = tile.mma %q, %p, %acc -> tile<256x128xf32>

The same of tiles that a program's own loop deals to blocks:

    scf.for %t = %block to 4096 step %blocks                scf.for %s = %block to 2048 step %blocks
                                                                %t = %s / 8 * 16 + %s % 8
        %by = %t % 512 / 8                                      %by = %t % 512 / 8

The inverse of slices (`divide_tiles`), which tell along which modes tiles are cut: of the next work-group each tile is
the same, or lies where this one ends (`group_strides.py`). Left alone is what is computed of the number of a work-group
in any other way. Linear in the operations, for each stride between tiles that is tried.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tilewright.dialects import scf, team, tile
from tilewright.dialects.arith_integers import FloorDiv, UDiv, URem
from tilewright.dialects.builder import Builder
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Operation, Value
from tilewright.ir.definition import PURE
from tilewright.ir.interfaces import AccessesBox
from tilewright.ir.types import TileType
from tilewright.transforms import emit
from tilewright.transforms.divide_tiles.cuts import Cuts, Undivided
from tilewright.transforms.divide_tiles.rewriting import separate_numbers
from tilewright.transforms.schedule.group_strides import CASTS, Strides
from tilewright.transforms.tile_values import tile_type

_DIVISIONS: Final = (UDiv, URem, FloorDiv)


def join_groups(kernel: Kernel, axis: int, count: int) -> int | None:
    """Let a kernel compute so many work-groups beside each other at a time, whose results lie beside each other along
    an axis: the mode of the grid along which they follow each other, of which the kernel has so many fewer; None, and
    the kernel is of no more use, where that cannot be."""
    cuts, numbers = _cuts_of(kernel, axis), [op for op in kernel.walk() if isinstance(op, team.GroupId)]
    if cuts is None:
        return None
    for mode in dict.fromkeys(op.dim for op in numbers):
        mine = [op for op in numbers if op.dim == mode]
        known: dict[Value, int | None] = {op.out: int(op.dim == mode) for op in numbers}
        if _follow_each_other(kernel.walk(), cuts, Strides(1, count, known, [op.out for op in mine])):
            _widen(cuts, count)
            for op in mine:
                _take_first(op, count)
            return mode
    return None


def join_tiles(kernel: Kernel, loop: scf.For, axis: int, count: int) -> bool:
    """The same of tiles that a loop of a kernel deals to its blocks; whether that can be. If not the kernel is of no
    more use."""
    tiles, cuts = dealt_tiles(kernel, loop), _cuts_of(kernel, axis)
    if tiles is None or cuts is None:
        return False
    inside = [op for op in loop.walk() if op is not loop]
    divisors = {emit.integer_of(op.operands[1]) for op in inside if isinstance(op, _DIVISIONS)}
    for far in sorted({1, *(number for number in divisors if number)}):
        known: dict[Value, int | None] = {op.out: None for op in kernel.walk() if isinstance(op, team.GroupId)}
        known[loop.index] = far
        if tiles % (far * count) == 0 and _follow_each_other(inside, cuts, Strides(far, count, known, [loop.index])):
            _widen(cuts, count)
            _renumber(loop, tiles, far, count)
            return True
    return False


def dealt_tiles(kernel: Kernel, loop: scf.For) -> int | None:
    """How many tiles a loop deals to all blocks of a grid, each of which has every so many of them; None if another
    loop does, or they have an order."""
    first, step, tiles = loop.lower, loop.step, emit.integer_of(loop.upper)
    is_dealt = (
        isinstance(number := _uncast(first), team.GroupId)
        and isinstance(blocks := None if step is None else _uncast(step), team.NumGroups)
        and number.dim == blocks.dim
    )
    if not is_dealt or loop.outs or loop.parallel or tiles is None:
        return None
    beside = (op for op in kernel.body.entry if op is not loop)
    is_alone = all(PURE in op.definition.traits for op in beside)
    return tiles if is_alone and all(map(_is_unordered, loop.walk())) else None


def _is_unordered(op: Operation) -> bool:
    """Whether an operation does not care for what other tiles of its block have written and read."""
    is_part = bool(op.regions) or isinstance(op, scf.Yield) or PURE in op.definition.traits
    return is_part or getattr(op, "unordered", False)


def _uncast(value: Value) -> Operation | None:
    """What a number comes from."""
    op = value.defining_op
    while isinstance(op, CASTS):
        op = op.operands[0].defining_op
    return op


def _cuts_of(kernel: Kernel, axis: int) -> Cuts | None:
    """What of the tiles of a kernel lies along an axis of its results."""
    separate_numbers(kernel)
    try:
        return Cuts.of_kernel(kernel, frozenset((axis,)))
    except Undivided:
        return None


def _widen(cuts: Cuts, count: int) -> None:
    """Let tiles be so many times as long along the axis."""
    for value, cut in cuts.of.items():
        type_ = tile_type(value)
        shape = (extent if axis is None else extent * count for extent, axis in zip(type_.shape, cut, strict=True))
        value.type = TileType(tuple(shape), type_.element)


def _take_first(op: team.GroupId, count: int) -> None:
    """Let a number of a work-group be that of the first of so many."""
    assert op.block is not None
    users, build = list(op.out.uses), Builder(op.block, op.next, op.location)
    first = emit.mul(build, op.out, build.index(count))
    for user in users:
        user.replace_operand(op.out, first)


def _renumber(loop: scf.For, tiles: int, far: int, count: int) -> None:
    """Let a loop run over every so many of its tiles, of those that lie `far` apart the first."""
    type_ = loop.index.type
    loop.set_operand(1, Builder.before_op(loop).constant(tiles // count, type_))
    assert loop.body.entry.first is not None
    users, build = list(loop.index.uses), Builder.before_op(loop.body.entry.first)
    together, alone = build.constant(far * count, type_), build.constant(far, type_)
    above = emit.mul(build, build(UDiv(loop.index, alone)).out, together)
    number = emit.add(build, above, build(URem(loop.index, alone)).out)
    for user in users:
        user.replace_operand(loop.index, number)


def _follow_each_other(ops: Iterable[Operation], cuts: Cuts, strides: Strides) -> bool:
    """Whether what is cut of the next work-group lies behind what is of this one, and all else is the same."""
    return all(_follows(op, cuts, strides) for op in ops if not isinstance(op, Kernel))


def _follows(op: Operation, cuts: Cuts, strides: Strides) -> bool:
    if isinstance(op, AccessesBox) and isinstance(op.box().data.type, TileType):
        box = op.box()
        lengths = [0 if axis is None else extent for extent, axis in zip(box.shape, cuts.of[box.data], strict=True)]
        return [strides.of(index) for index in box.indices] == lengths and strides.of(box.memref) == 0
    if isinstance(op, tile.Iota):
        return cuts.of[op.out][op.dim] is None
    if isinstance(op, scf.For | scf.If) or any(isinstance(out.type, TileType) for out in op.results):
        numbers = (value for value in op.operands if not isinstance(value.type, TileType))
        return strides.are_none(*numbers)
    return True
