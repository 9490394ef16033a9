"""The passes from a verified program to scheduled tiles, in order, for every target."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.ir.passes import Pass
from tilewright.transforms.assign_stack import AssignStack
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.contiguous_accesses import ContiguousAccesses
from tilewright.transforms.cse import EliminateCommonSubexpressions
from tilewright.transforms.dce import EliminateDeadCode
from tilewright.transforms.derive_launch_constraints import DeriveLaunchConstraints
from tilewright.transforms.derive_null_arguments import DeriveNullArguments
from tilewright.transforms.drop_empty_tiles import DropEmptyTiles
from tilewright.transforms.forward_stores import ForwardStores
from tilewright.transforms.fuse_epilogues import FuseEpilogues
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.insert_barriers import InsertBarriers
from tilewright.transforms.licm import HoistLoopInvariants
from tilewright.transforms.limit_operations import LimitOperations
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.lower_cooperative_matrices import LowerCooperativeMatrices
from tilewright.transforms.lower_foreach import LowerForeach
from tilewright.transforms.merge_branches import MergeBranches
from tilewright.transforms.policy import NO_PREFETCH, StreamPrefetch, TeamPolicy, TilePolicy
from tilewright.transforms.raise_contractions import RaiseContractions
from tilewright.transforms.separate_arrays import SeparateArrays


def lowering(team: TeamPolicy, tiles: TilePolicy, prefetch: StreamPrefetch = NO_PREFETCH) -> list[Pass]:
    """From the language to tiles, nothing more."""
    # what a launch must fulfil is read off the language's instructions, before any of them is gone
    return [
        InferWorkGroup(team),
        DeriveNullArguments(),
        DeriveLaunchConstraints(),
        LowerForeach(),
        LowerCooperativeMatrices(),
        LowerCollectives(tiles, prefetch),
    ]


def optimisation(level: int) -> list[Pass]:
    """Simplifies tiles and scalars; level 0 does nothing, 1 one cheap round, 2 everything."""
    if level == 0:
        return []
    if level == 1:
        return [Canonicalize(), EliminateCommonSubexpressions(), EliminateDeadCode()]
    return [
        Canonicalize(),
        EliminateCommonSubexpressions(),
        MergeBranches(),
        HoistLoopInvariants(),
        EliminateCommonSubexpressions(),
        ForwardStores(),
        EliminateDeadCode(),
        Canonicalize(),
    ]


def synchronisation(one_thread: bool = False) -> list[Pass]:
    """Local memory and barriers; stack offsets first, for reuse of bytes is a hazard of its own.

    In a collective region nobody waits where `one_thread` runs a work-group, one step after the other.
    """
    return [AssignStack()] if one_thread else [AssignStack(), InsertBarriers()]


def checking(level: int) -> list[Pass]:
    """Tests of what the program accesses, before anything of it is found needless.

    One test serves for a whole tile of neighbouring elements, so these are recognised first.
    """
    from tilewright.transforms.insert_bounds_checks import InsertBoundsChecks

    return [*([ContiguousAccesses()] if level else []), InsertBoundsChecks()]


def common_pipeline(
    team: TeamPolicy,
    tiles: TilePolicy,
    level: int = 2,
    checked: bool = False,
    prefetch: StreamPrefetch = NO_PREFETCH,
    accesses: ContiguousAccesses | None = None,
    instruction_passes: Sequence[Pass] = (),
    point_passes: Sequence[Pass] = (),
    tile_passes: Sequence[Pass] = (),
    one_thread: bool = False,
) -> list[Pass]:
    """Steps 2 to 8 of the way down (docs/architecture.md).

    `instruction_passes` meet instructions, `point_passes` what is between them when epilogues have been fused, and
    `tile_passes` tiles as these left them; `one_thread` says that one runs a work-group.
    """
    infer, nulls, constraints, *rest = lowering(team, tiles, prefetch)
    if level > 1:
        infer = InferWorkGroup(team, waits=True)
    steps = [LimitOperations(), infer, nulls, constraints, *(checking(level) if checked else []), DropEmptyTiles()]
    if level:
        steps += [Canonicalize()] if checked else [Canonicalize(), accesses or ContiguousAccesses()]
        steps += [RaiseContractions(), InferWorkGroup(team)] if level > 1 else []
        steps += instruction_passes
        steps += [FuseEpilogues(tiles, prefetch)] if level > 1 else []
        steps += point_passes
    apart = [SeparateArrays()] if level else []
    return [*steps, *rest, *tile_passes, *apart, *optimisation(level), *synchronisation(one_thread)]
