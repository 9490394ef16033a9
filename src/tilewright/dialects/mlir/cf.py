"""MLIR's cf: branches between the blocks of a function."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.mlir.base import BOOLEAN_TYPE, MlirOperation, fail
from tilewright.ir.attributes import Attribute
from tilewright.ir.definition import TERMINATOR, Block, Value, operand, operands, optional_attribute, successor


def _check_edge(op: MlirOperation, report: Report, block: Block, values: Sequence[Value]) -> None:
    wanted, found = [a.type for a in block.arguments], [v.type for v in values]
    if wanted != found:
        fail(op, report, f"the block takes ({', '.join(map(str, wanted))}), not ({', '.join(map(str, found))})")


class Branch(MlirOperation, name="cf.br", traits=(TERMINATOR,), assembly="<dest> <attributes>"):
    """Goes on in a block."""

    destOperands: list[Value] = operands()
    dest: Block = successor()

    def verify(self, report: Report) -> None:
        _check_edge(self, report, self.dest, self.destOperands)


class ConditionalBranch(
    MlirOperation,
    name="cf.cond_br",
    traits=(TERMINATOR,),
    assembly="$condition <weights> , <trueDest> , <falseDest> <attributes>",
):
    """Goes on in one block if the condition holds, else in the other."""

    condition: Value = operand(BOOLEAN_TYPE)
    trueDestOperands: list[Value] = operands()
    falseDestOperands: list[Value] = operands()
    trueDest: Block = successor()
    falseDest: Block = successor()
    branch_weights: Attribute = optional_attribute(object, default=None)

    def verify(self, report: Report) -> None:
        _check_edge(self, report, self.trueDest, self.trueDestOperands)
        _check_edge(self, report, self.falseDest, self.falseDestOperands)
