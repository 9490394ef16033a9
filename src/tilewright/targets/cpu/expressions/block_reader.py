"""What the computation of one kind of expression asks of whoever computes them all (`evaluation/evaluate.py`)."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Protocol

from tilewright.targets.cpu.expressions.blocks import Block
from tilewright.targets.cpu.expressions.fragments import Fragments
from tilewright.targets.cpu.expressions.nodes import Expression
from tilewright.targets.cpu.machine import Machine
from tilewright.targets.llvm.arith import Arithmetic
from tilewright.targets.llvm.emitter import Builder


class BlockReader(Protocol):
    """Gives blocks of the operands of an expression, at the position of a builder."""

    b: Builder
    arith: Arithmetic
    machine: Machine

    def block(self, tile: Expression, block: Block) -> Fragments:
        """The vectors of a block."""
        ...

    def read_once(self, tile: Expression, block: Block) -> Fragments:
        """As `block`; memory, too, is read once."""
        ...

    def scope(self) -> AbstractContextManager[None]:
        """Code that what follows is not dominated by, such as the body of a loop."""
        ...
