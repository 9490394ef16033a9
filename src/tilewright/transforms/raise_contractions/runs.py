"""The runs of operations of a kernel that are raised together: loops, loads and stores that stand behind each other."""

from __future__ import annotations

from collections.abc import Iterator

from tilewright.dialects import memref, scf
from tilewright.dialects.builtin import Kernel
from tilewright.ir.core import Block, Operation
from tilewright.ir.definition import SPMD_REGION
from tilewright.transforms.cse import eliminate_common_subexpressions
from tilewright.transforms.licm import hoist_computations
from tilewright.transforms.loop_nests.nests import around_unknown, nest_of
from tilewright.transforms.raise_contractions.coalesced import split_coalesced
from tilewright.transforms.raise_contractions.overwritten import drop_overwritten
from tilewright.transforms.raise_contractions.raising import Outcome, Raiser
from tilewright.transforms.raise_contractions.split_copies import split_copy


def raise_in(kernel: Kernel, floats: bool) -> bool:
    """Raise what can be raised of a kernel, without `floats` only sums of integers; whether the kernel was changed."""
    # bounds and subscripts that are equal become the same values
    changed = hoist_computations(kernel)
    changed |= eliminate_common_subexpressions(kernel)
    changed |= split_coalesced(kernel)
    changed |= drop_overwritten(kernel)
    raiser = Raiser(floats, around_unknown(kernel))
    _block(kernel.body.entry, raiser)
    return changed | raiser.changed


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
