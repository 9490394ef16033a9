"""canonicalize: constants are folded and operations brought to one simple form; dead pure operations vanish.

before:  %x = arith.mul %two, %three -> index     scf.if %true { a }     %n = memref.size %A {mode = 0}   (A: 4x?)
after:   %x = arith.constant {value = 6}          a                      %n = arith.constant {value = 4}

Every rewrite is exact, bit for bit, for all operands.
"""

from __future__ import annotations

from typing import ClassVar

from tilewright.dialects import memref
from tilewright.dialects.arith import Constant
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Operation
from tilewright.ir.interfaces import Elementwise
from tilewright.ir.passes import Pass, PassContext
from tilewright.ir.rewriter import PatternSet, Rewriter, apply_patterns, pattern
from tilewright.transforms.arith_identities import ARITHMETIC
from tilewright.transforms.control_folding import CONTROL
from tilewright.transforms.fold import fold
from tilewright.transforms.tile_identities import TILES


@pattern(Elementwise)
def fold_constants(op: Operation, rewriter: Rewriter) -> bool:
    """An operation on constants is a constant."""
    value = fold(op)
    if value is None:
        return False
    rewriter.replace(op, [rewriter.insert(Constant(value, result_types=[op.results[0].type])).out])
    return True


@pattern(memref.LifetimeStop)
def forget_ends_of_lifetimes(op: Operation, rewriter: Rewriter) -> bool:
    """Memory is free after the last use of it, whoever says so; the code is that of a program which does not."""
    rewriter.erase(op)
    return True


_PATTERNS = PatternSet([fold_constants, forget_ends_of_lifetimes, *ARITHMETIC, *TILES, *CONTROL])


class Canonicalize(Pass, frozen=True):
    """Fold and simplify."""

    name: ClassVar[str] = "canonicalize"

    def run(self, module: Module, context: PassContext) -> bool:
        return apply_patterns(module, _PATTERNS)
