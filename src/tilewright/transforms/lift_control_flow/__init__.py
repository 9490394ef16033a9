"""lift-control-flow: regions of blocks and branches become structured control flow.

before:  cf.br %lo [^head]                               after:  %s, .. = scf.while %lo, ..  (%i: index, ..) {
         ^head (%i: index): .. cf.cond_br %c, %n, %s               .. scf.yield %again, %n, ..
                            [^head, ^exit]                       }
         ^exit (%r: index): ..                                    ..

Any graph is lifted whose blocks all reach an end: cycles become `scf.while` first, from the outside in, then what forks
and joins becomes `scf.if`. Edges that lead to several places go through a common block with a selector, so loops with
several entries or exits and branches that meet in part need no copy of a block. The scheme is that of Bahmann,
Reissmann, Jahre and Meyer, Perfect Reconstructability of Control Flow from Demand Dependence Graphs (2015).

Left alone: regions of one block. Reported (T008): a loop that never ends, ends of different kinds, values that cannot
be carried by a loop or a branch.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.diagnostics import Report
from tilewright.dialects.builtin import Module
from tilewright.dialects.cf import Branch, BranchOperation, Undefined
from tilewright.ir.control_flow import postorder
from tilewright.ir.core import Block, Operation, Region
from tilewright.ir.definition import TERMINATOR
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.lift_control_flow.branches import lift_branches
from tilewright.transforms.lift_control_flow.cycles import lift_cycles
from tilewright.transforms.lift_control_flow.edges import NotStructured, define

__all__ = ["LiftControlFlow", "lift_body"]


class LiftControlFlow(Pass, frozen=True):
    """Turn branches between blocks into `scf.while` and `scf.if`."""

    name: ClassVar[str] = "lift-control-flow"

    def run(self, module: Module, context: PassContext) -> bool:
        regions = [region for op in module.walk() for region in op.regions if len(region.blocks) > 1]
        for region in regions:
            _lift(region, context.report)
        _define(module)
        return bool(regions)


def lift_body(op: Operation, report: Report) -> None:
    """The same for the first region of an operation."""
    _lift(op.regions[0], report)
    _define(op)


def _define(root: Operation) -> None:
    for op in list(root.walk()):
        if isinstance(op, Undefined):
            define(op)


def _lift(region: Region, report: Report) -> None:
    """Everything between the blocks of a region, and of the regions that this makes."""
    try:
        _drop_unreachable(region)
        _unite_ends(region)
        work = [region]
        while work:
            current = work.pop()
            work += lift_cycles(current)
            work += lift_branches(current)
    except NotStructured as error:
        report.error("T008", error.location, str(error))


def _drop_unreachable(region: Region) -> None:
    reached = set(postorder(region.blocks))
    dropped = [block for block in region.blocks if block not in reached]
    for block in dropped:
        for op in block:
            op.drop_all()
    region.blocks = [block for block in region.blocks if block in reached]


def _unite_ends(region: Region) -> None:
    """One block that all paths end in."""
    ends = [block for block in region.blocks if not _branches(block)]
    if len(ends) < 2:
        return
    terminators = [_terminator(block) for block in ends]
    first = terminators[0]
    for block, other in zip(ends, terminators, strict=True):
        if (None if first is None else type(first)) is not (None if other is None else type(other)):
            where = block.last.location if block.last is not None else None
            raise NotStructured("this path ends in another way than the others do", where)
    last = region.add_block(Block())
    if first is not None:
        arguments = [last.add_argument(operand.type) for operand in first.operands]
        copy = first.clone()
        for index, argument in enumerate(arguments):
            copy.set_operand(index, argument)
        last.append(copy)
    for block, terminator in zip(ends, terminators, strict=True):
        values = [] if terminator is None else list(terminator.operands)
        if terminator is not None:
            terminator.erase()
        block.append(Branch(values, last))


def _branches(block: Block) -> bool:
    return isinstance(block.last, BranchOperation)


def _terminator(block: Block) -> Operation | None:
    last = block.last
    return last if last is not None and TERMINATOR in last.definition.traits else None
