"""raise-contractions: loops over single elements become the collective instructions that they amount to.

before:  scf.for %i .. { scf.for %j .. { scf.for %k .. {
             %c = memref.load %C[%i, %j]   ..   memref.store %c_plus_a_times_b, %C[%i, %j] } } }
after:   tl.gemm %one, %A, %B, %one, %C

What counts is what is computed: the updates `C[f(i)] += A[g(i)] B[h(i)]` of a nest, whatever its loops, are taken as
a set and compared with those of an instruction. So the order of loops, tiles with remainders, unrolling, accumulators
that loops carry and statements in front of the product or behind it make no difference (`updates`, `progressions`,
`boxes`). A nest of several statements is taken apart where dependences allow it; those that are no such sum keep loops.

Sums are reordered, and computed in acc(T) of the element type T of the target with one rounding at the end, as the
instructions say; integers give the same bits. With the compile option `reorder_sums=False` only sums of integers are
taken. Sources share no memory with the target, as far as allocations, `noalias` and address spaces tell; else loops
stay. Memory of one mode that is accessed as if it had more (`i * N + j`) is taken as such (`delinearisation`,
`split_copies`). What lengths have to be for boxes to lie beside each other is tested at run time; the loops are the
other case. Loops that count several others at once (`coalesced`) are those. Of stores to one place the last one counts
(`overwritten`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Kernel, Module
from tilewright.ir.core import Block, Operation
from tilewright.ir.definition import SPMD_REGION
from tilewright.ir.passes import Pass, PassContext
from tilewright.transforms.cse import eliminate_common_subexpressions
from tilewright.transforms.licm import hoist_computations
from tilewright.transforms.loop_nests.nests import around_unknown, nest_of
from tilewright.transforms.raise_contractions.coalesced import split_coalesced
from tilewright.transforms.raise_contractions.overwritten import drop_overwritten
from tilewright.transforms.raise_contractions.raising import NAME, Outcome, Raiser
from tilewright.transforms.raise_contractions.split_copies import split_copy


class RaiseContractions(Pass, frozen=True):
    """Find collective instructions in loops of collective regions."""

    name: ClassVar[str] = NAME
    floats: bool = True

    def keeping_order(self) -> RaiseContractions:
        return RaiseContractions(floats=False)

    def run(self, module: Module, context: PassContext) -> bool:
        changed = False
        for kernel in module.kernels:
            if _stores_in_loops(kernel):
                # bounds and subscripts that are equal become the same values
                changed |= hoist_computations(kernel)
                changed |= eliminate_common_subexpressions(kernel)
                changed |= split_coalesced(kernel)
                changed |= drop_overwritten(kernel)
                raiser = Raiser(self.floats, around_unknown(kernel))
                _block(kernel.body.entry, raiser)
                changed |= raiser.changed
        return changed


def _stores_in_loops(kernel: Kernel) -> bool:
    loops = [op for op in kernel.walk() if isinstance(op, scf.For)]
    return any(isinstance(op, memref.Store) for loop in loops for op in loop.body.entry)


def _block(block: Block, raiser: Raiser) -> None:
    for run in list(_runs(block)):
        _raise(run, raiser)
    for op in block:
        if SPMD_REGION not in op.definition.traits and op not in raiser.settled:
            for region in op.regions:
                for inner in region.blocks:
                    _block(inner, raiser)


def _raise(run: list[Operation], raiser: Raiser) -> None:
    """Raise operations together, so that what one leaves out another may add, else loop by loop."""
    if _raised(run, raiser) is Outcome.LEFT and len(run) > 1:
        for op in run:
            if isinstance(op, scf.For):
                _raised([op], raiser)


def _raised(ops: list[Operation], raiser: Raiser) -> Outcome:
    """Raise operations, where they can be on memory of more modes than it has, else as they are."""
    if any(op in raiser.unknown for op in ops):
        return Outcome.LEFT
    nest = nest_of(*ops)
    copy = split_copy(nest)
    if copy is not None:
        if raiser.raise_nest(copy.ops, nest_of(*copy.ops)) is Outcome.RAISED:
            copy.keep()
            if copy.either is not None:
                raiser.settled.add(copy.either)
            return Outcome.RAISED
        copy.drop()
    return raiser.raise_nest(ops, nest)


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
