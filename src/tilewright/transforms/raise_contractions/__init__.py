"""raise-contractions: loops over single elements become the collective instructions that they amount to.

before:  scf.for %i .. { scf.for %j .. { scf.for %k .. {
             %c = memref.load %C[%i, %j]   ..   memref.store %c_plus_a_times_b, %C[%i, %j] } } }
after:   tl.gemm %one, %A, %B, %one, %C

What counts is what is computed: the updates `C[f(i)] += A[g(i)] B[h(i)]` of a nest, whatever its loops, are taken as a
set and compared with those of an instruction. So the order of loops, tiles with remainders, unrolling, accumulators that
loops carry and statements in front of the product or behind it make no difference (`updates`, `progressions`, `boxes`).
A nest of several statements is taken apart where dependences allow it; those that are no such sum keep loops.

Sums are reordered, and computed in acc(T) of the element type T of the target with one rounding at the end, as the
instructions say; integers give the same bits. The compile option `reorder_sums=False` leaves loops as they are.
Sources share no memory with the target, as far as allocations, `noalias` and address spaces tell; else loops stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.definition import SPMD_REGION
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.raise_contractions.raising import raise_nest


class RaiseContractions(Pass, frozen=True):
    """Find collective instructions in loops of collective regions."""

    name: ClassVar[str] = "raise-contractions"

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            changed |= _block(kernel.body.entry)
        return changed


def _block(block: Block) -> bool:
    changed = False
    for run in list(_runs(block)):
        changed |= _raised(run)
    for op in block:
        if SPMD_REGION not in op.definition.traits:
            for region in op.regions:
                for inner in region.blocks:
                    changed |= _block(inner)
    return changed


def _raised(run: list[Operation]) -> bool:
    """Raise operations together, so that what one leaves out another may add, else loop by loop."""
    if raise_nest(run):
        return True
    loops = [op for op in run if isinstance(op, scf.For)]
    changed = [raise_nest([loop]) for loop in loops] if len(run) > 1 else []
    return any(changed)


def _runs(block: Block) -> Iterator[list[Operation]]:
    """Loops, loads and stores that stand behind each other, with what is pure between them."""
    run: list[Operation] = []
    for op in block:
        if isinstance(op, scf.For | memref.Load | memref.Store) or (run and op.effects() == () and not op.regions):
            run.append(op)
        else:
            yield from _with_loops(run)
            run = []
    yield from _with_loops(run)


def _with_loops(run: list[Operation]) -> Iterator[list[Operation]]:
    """The run up to its last loop or store, if it has a loop."""
    while run and not isinstance(run[-1], scf.For | memref.Store):
        run.pop()
    if any(isinstance(op, scf.For) for op in run):
        yield run
