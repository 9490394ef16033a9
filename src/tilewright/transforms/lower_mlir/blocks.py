"""Lowers functions of several blocks: block by block, with branches of the shared dialect between them."""

from __future__ import annotations

from tilewright.dialects import cf as shared
from tilewright.dialects.builder import Builder
from tilewright.dialects.mlir import cf, func
from tilewright.ir.control_flow import postorder
from tilewright.ir.core import Block, Operation, Region
from tilewright.transforms.lower_mlir.context import Lowering, Unsupported
from tilewright.transforms.lower_mlir.control import carried_types
from tilewright.transforms.lower_mlir.operations import lower_operations


def lower_blocks(low: Lowering, function: func.Func, body: Region) -> None:
    """All blocks of a function into a region whose entry exists. Blocks hand numbers on."""
    first, *others = function.body.blocks
    made: dict[Block, Block] = {first: body.entry}
    for block in others:
        types = carried_types(function, [argument.type for argument in block.arguments])
        made[block] = body.add_block(Block())
        for argument, type_ in zip(block.arguments, types, strict=True):
            low.bind(argument, made[block].add_argument(type_, argument.name, argument.location))
    for block in reversed(postorder(function.body.blocks)):
        inner = low.inside(Builder.at_end(made[block], function.location), certain=block is first)
        _end(inner, lower_operations(inner, block), made)


def _end(low: Lowering, op: Operation, made: dict[Block, Block]) -> None:
    low.b.location = op.location
    match op:
        case func.Return():
            if op.values:
                raise Unsupported(op, "func.return: a function of several blocks returns nothing")
        case cf.Branch():
            low.b(shared.Branch(low.all(op.destOperands), made[op.dest]))
        case cf.ConditionalBranch():
            then, orelse = low.all(op.trueDestOperands), low.all(op.falseDestOperands)
            condition = low.value(op.condition)
            low.b(shared.ConditionalBranch(condition, then, orelse, made[op.trueDest], made[op.falseDest]))
        case _:
            raise Unsupported(op, f"{op.name} is not supported")
