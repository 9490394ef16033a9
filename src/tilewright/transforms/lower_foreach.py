"""lower-foreach: parallel loops become SPMD regions with loops over work-items and subgroups.

before:  tl.foreach (%i) = (%f) to (%t) { body(%i) }
after:   team.spmd { id = linear work-item; n = t - f
           for %c = 0 to n - n rem W step W { body(f + c + id) }      all work-items busy, no test
           if full + id < n { body(f + full + id) } }

Consecutive work-items take consecutive values of the first variable; the second runs over rows of the work-group,
further ones are sequential. `tl.foreach_tile` deals tiles to subgroups in the same manner. Trip arithmetic is in index,
so narrow loop variables do not overflow. Needs `subgroup_size` and `work_group_size`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from msgspec import Struct

from tilewright.dialects import scf, team, tl
from tilewright.dialects.arith import Cast
from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation, Value
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.types import INDEX, ScalarType
from tilewright.transforms import emit
from tilewright.transforms.check_elision import drop_checks


class LowerForeach(Pass, frozen=True):
    """Lower `tl.foreach` and `tl.foreach_tile`; bodies larger than `copy_limit` operations are not duplicated."""

    name: ClassVar[str] = "lower-foreach"
    copy_limit: int = 64

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            shape = WorkGroup.of(kernel)
            for op in list(kernel.walk()):
                if isinstance(op, tl.Foreach):
                    _lower_foreach(op, shape, self.copy_limit)
                elif isinstance(op, tl.ForeachTile):
                    _lower_foreach_tile(op, shape, self.copy_limit)
                else:
                    continue
                changed = True
        return changed


class WorkGroup(Struct, frozen=True):
    """Work-items of a work-group: `columns` rows of `subgroups` subgroups of `subgroup_size`."""

    subgroup_size: int
    subgroups: int
    columns: int

    @classmethod
    def of(cls, kernel: Kernel) -> WorkGroup:
        """From the attributes that infer-work-group leaves."""
        assert kernel.subgroup_size is not None, "infer-work-group must run first"
        assert kernel.work_group_size is not None, "infer-work-group must run first"
        m, n = kernel.work_group_size
        return cls(kernel.subgroup_size, m // kernel.subgroup_size, n)


class _Mode(Struct, frozen=True):
    """One loop variable: lower bound and extent in index, the type of the variable."""

    lower: Value
    extent: Value
    type: ScalarType


def _modes(build: Builder, lowers: list[Value], uppers: list[Value]) -> list[_Mode]:
    modes: list[_Mode] = []
    for low, high in zip(lowers, uppers, strict=True):
        lower, upper = emit.to_index(build, low), emit.to_index(build, high)
        # An empty range may have upper far below lower; clamping first keeps the difference free of overflow.
        extent = emit.sub(build, emit.maximum(build, upper, lower), lower)
        modes.append(_Mode(lower, extent, emit.scalar_type(low.type)))
    return modes


def _variable(build: Builder, mode: _Mode, position: Value) -> Value:
    return emit.cast(build, emit.add(build, mode.lower, position), mode.type)


def _id(build: Builder, op: team.SubgroupId | team.SubgroupLinearId | team.SubgroupLocalId) -> Value:
    return emit.cast(build, build(op).out, INDEX)


def _subgroup(build: Builder, shape: WorkGroup, linear: bool) -> Value:
    """Number of the subgroup in the work-group or in its row, in index; constant where there is only one."""
    if shape.subgroups * (shape.columns if linear else 1) == 1:
        return build.index(0)
    return _id(build, team.SubgroupLinearId() if linear else team.SubgroupId(0))


def _copy_body(block: Block, arguments: list[Value], build: Builder) -> list[Operation]:
    """Clone the operations of a body with its arguments replaced.

    Where the body converts a narrow loop variable back to index, the index it came from serves: it is in range.
    """
    mapping: dict[Value, Value] = dict(zip(block.arguments, arguments, strict=True))
    copies = [build(op.clone(mapping)) for op in block if not isinstance(op, scf.Yield)]
    for argument in arguments:
        if isinstance(narrow := argument.defining_op, Cast) and narrow.value.type is INDEX:
            for user in list(argument.uses):
                if isinstance(user, Cast) and user.out.type is INDEX:
                    user.out.replace_all_uses_with(narrow.value)
    return copies


def _size(block: Block) -> int:
    return sum(1 for op in block for _ in op.walk())


Step = Callable[[Builder, list[Value]], None]


def _lower_foreach(op: tl.Foreach, shape: WorkGroup, copy_limit: int) -> None:
    outer = Builder.before_op(op)
    region, block = new_region()
    outer(team.Spmd(region))
    build = Builder.at_end(block, op.location)
    modes = _modes(build, op.lowers, op.uppers)
    body = op.body.entry
    twice = _size(body) <= copy_limit

    def innermost(at: Builder, tail: list[Value]) -> None:
        def run(inner: Builder, position: Value) -> None:
            positions = [position, *tail]
            _copy_body(body, [_variable(inner, m, p) for m, p in zip(modes, positions, strict=True)], inner)

        columns = shape.columns if len(modes) == 1 else 1
        width = shape.subgroup_size * shape.subgroups * columns
        local = _id(at, team.SubgroupLocalId())
        subgroup = _subgroup(at, shape, len(modes) == 1)
        lane = emit.add(at, emit.mul(at, subgroup, at.index(shape.subgroup_size)), local)
        _deal(at, modes[0].extent, width, lane, run, twice)

    _outer_modes(build, modes, shape.columns, [1] * len(modes), innermost)
    op.erase()


def _outer_modes(build: Builder, modes: list[_Mode], rows: int, steps: list[int], innermost: Step) -> None:
    """Loops over the modes from the last to the second; positions of modes 1.. are handed to `innermost`."""

    def descend(at: Builder, mode: int, tail: list[Value]) -> None:
        if mode == 0:
            innermost(at, tail)
            return
        step, start = steps[mode], at.index(0)
        if mode == 1 and rows > 1:
            row = _id(at, team.SubgroupId(1))
            start, step = emit.mul(at, row, at.index(step)), step * rows
        loop = emit.open_loop(at, start, modes[mode].extent, at.index(step))
        descend(loop.body, mode - 1, [loop.index, *tail])

    descend(build, len(modes) - 1, [])


def _deal(
    build: Builder, extent: Value, width: int, lane: Value, run: Callable[[Builder, Value], None], twice: bool
) -> None:
    """Run positions 0..extent-1, one a work-item and step: full steps untested if the body may be written twice."""
    step, start = build.index(width), build.index(0)
    known = emit.integer_of(extent)
    if known is not None and known % width == 0:
        full, rest = extent, False
    elif twice:
        rest = True
        full = (
            build.index(known - known % width)
            if known is not None
            else emit.sub(build, extent, emit.rem(build, extent, step))
        )
    else:
        loop = emit.open_loop(build, start, extent, step)
        position = emit.add(loop.body, loop.index, lane)
        run(emit.open_if(loop.body, emit.less(loop.body, position, extent)), position)
        return
    if emit.integer_of(full) == width:
        run(build, lane)
    elif emit.integer_of(full) != 0:
        loop = emit.open_loop(build, start, full, step)
        run(loop.body, emit.add(loop.body, loop.index, lane))
    if rest:
        position = emit.add(build, full, lane)
        run(emit.open_if(build, emit.less(build, position, extent)), position)


def _lower_foreach_tile(op: tl.ForeachTile, shape: WorkGroup, copy_limit: int) -> None:
    outer = Builder.before_op(op)
    region, block = new_region()
    outer(team.Spmd(region))
    build = Builder.at_end(block, op.location)
    modes = _modes(build, op.lowers, op.uppers)
    tiles = list(op.tile_shape)

    def innermost(at: Builder, tail: list[Value]) -> None:
        single = len(modes) == 1
        count = shape.subgroups * (shape.columns if single else 1)
        start = emit.mul(at, _subgroup(at, shape, single), at.index(tiles[0]))
        loop = emit.open_loop(at, start, modes[0].extent, at.index(tiles[0] * count))
        _tile_body(op, loop.body, modes, [loop.index, *tail], copy_limit)

    _outer_modes(build, modes, shape.columns, tiles, innermost)
    op.erase()


def _tile_body(op: tl.ForeachTile, build: Builder, modes: list[_Mode], positions: list[Value], copy_limit: int) -> None:
    """The body for one tile; full ones get a copy of their own with constant sizes and fewer bounds tests."""
    body, tiles = op.body.entry, op.tile_shape
    offsets = [_variable(build, m, p) for m, p in zip(modes, positions, strict=True)]
    left = [emit.sub(build, m.extent, p) for m, p in zip(modes, positions, strict=True)]
    partial = [k for k, m in enumerate(modes) if (n := emit.integer_of(m.extent)) is None or n % tiles[k]]

    def full(at: Builder) -> None:
        sizes = [at.constant(c, m.type) for c, m in zip(tiles, modes, strict=True)]
        drop_checks(_copy_body(body, [*offsets, *sizes], at), op, offsets)

    def any_size(at: Builder) -> None:
        sizes = [
            emit.cast(at, emit.minimum(at, at.index(c), rest), m.type)
            for c, rest, m in zip(tiles, left, modes, strict=True)
        ]
        _copy_body(body, [*offsets, *sizes], at)

    if not partial:
        full(build)
    elif _size(body) > copy_limit:
        any_size(build)
    else:
        condition = None
        for k in partial:
            test = emit.not_less(build, left[k], build.index(tiles[k]))
            condition = test if condition is None else emit.both(build, condition, test)
        assert condition is not None
        emit.if_else(build, condition, full, any_size)
