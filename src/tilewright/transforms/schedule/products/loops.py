"""What loops over the terms of products do: whether loads in them may run ahead, and what computes where they load."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tilewright.dialects import scf, tile
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import BlockArgument, Operation, Value
from tilewright.ir.definition import PURE, RECURSIVE_EFFECTS
from tilewright.ir.effects import EffectKind
from tilewright.ir.types import TileType
from tilewright.transforms.emit import integer_of
from tilewright.transforms.schedule.products.sources import source_of


def runs_ahead(op: tile.Mma, factor: Value) -> bool:
    """Whether a factor may be loaded some iterations before it is multiplied, as it is."""
    source, loop = source_of(factor, None), op.parent_op
    if (
        source is None
        or source.element is not source.loaded
        or not isinstance(loop, scf.For)
        or not may_run_ahead(loop)
    ):
        return False
    load = source.load
    return load.block is op.block and computed([load.memref, *load.indices], loop) is not None


def may_run_ahead(loop: scf.For) -> bool:
    """Whether a loop's iterations are known to count up, and none writes what a later one loads."""
    step = 1 if loop.step is None else integer_of(loop.step)
    if step is None or step <= 0:
        return False
    stores = [op for op in loop.body.entry if not is_reading(op)]
    return not stores or (all(isinstance(op, tile.Store) for op in stores) and _loads_unordered(loop))


def _loads_unordered(loop: scf.For) -> bool:
    """Whether what a loop reads nothing in front of the reading has written, as is promised."""
    reading = (op for each in loop.body.entry if is_reading(each) for op in each.walk())
    return all(isinstance(op, tile.Load) and op.unordered for op in reading if _has_own(op) and op.effects())


def is_inside(value: Value, loop: scf.For) -> bool:
    """Whether a value is another one in each iteration."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op
        return parent is loop or (parent is not None and loop in parent.ancestors())
    op = value.defining_op
    return op is not None and loop in op.ancestors()


def is_reading(op: Operation) -> bool:
    """Whether neither the operation nor one inside it writes, updates or orders memory."""
    return all(map(_reads, op.walk()))


def _has_own(op: Operation) -> bool:
    """Whether the effects of an operation are not just those of what is inside it."""
    return RECURSIVE_EFFECTS not in op.definition.traits


def _reads(op: Operation) -> bool:
    effects = op.effects() if _has_own(op) else ()
    return effects is not None and all(effect.kind in (EffectKind.READ, EffectKind.HINT) for effect in effects)


def loops_over_tiles(op: Operation) -> Iterator[scf.For]:
    """All of the kernel in which an operation stands."""
    (kernel,) = (each for each in op.ancestors() if isinstance(each, Kernel))
    return (each for each in kernel.walk() if isinstance(each, scf.For) and each.parallel)


def computed(values: Iterable[Value], loop: scf.For) -> Sequence[Operation] | None:
    """What of a loop computes values from its index; None if that takes more than arithmetic and views."""
    found: dict[Operation, None] = {}
    work = list(values)
    while work:
        value = work.pop()
        op = value.defining_op
        if isinstance(value, BlockArgument) and value.block is loop.body.entry:
            if value is not loop.index:
                return None
        elif op is not None and op.block is loop.body.entry and op not in found:
            if PURE not in op.definition.traits or isinstance(op.results[0].type, TileType):
                return None
            found[op] = None
            work += op.operands
    return list(found)
