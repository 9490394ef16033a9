"""Passes by name, for command lines and reproducers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from tilewright.diagnostics.caller_error import CallerError
from tilewright.ir.passes import Pass
from tilewright.plugins import Plugin, extended
from tilewright.transforms.assign_stack import AssignStack
from tilewright.transforms.canonicalize import Canonicalize
from tilewright.transforms.cse import EliminateCommonSubexpressions
from tilewright.transforms.dce import EliminateDeadCode
from tilewright.transforms.derive_launch_constraints import DeriveLaunchConstraints
from tilewright.transforms.derive_null_arguments import DeriveNullArguments
from tilewright.transforms.drop_empty_tiles import DropEmptyTiles
from tilewright.transforms.forward_stores import ForwardStores
from tilewright.transforms.fuse_epilogues import FuseEpilogues
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.insert_barriers import InsertBarriers
from tilewright.transforms.insert_bounds_checks import InsertBoundsChecks
from tilewright.transforms.licm import HoistLoopInvariants
from tilewright.transforms.lift_control_flow import LiftControlFlow
from tilewright.transforms.loops_on_tiles import LoopsOnTiles
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.lower_cooperative_matrices import LowerCooperativeMatrices
from tilewright.transforms.lower_foreach import LowerForeach
from tilewright.transforms.lower_mlir import LowerMlir
from tilewright.transforms.lower_tile_ir import LowerTileIR
from tilewright.transforms.lower_tlx import LowerTlx
from tilewright.transforms.merge_branches import MergeBranches
from tilewright.transforms.raise_contractions import RaiseContractions
from tilewright.transforms.schedule.assign_layouts import AssignLayouts
from tilewright.transforms.schedule.choose_schedule import ChooseSchedule
from tilewright.transforms.schedule.lower_to_lanes import LowerToLanes
from tilewright.transforms.schedule.recompute_tiles import RecomputeTiles
from tilewright.transforms.separate_arrays import SeparateArrays
from tilewright.transforms.sink_into_branches import SinkIntoBranches
from tilewright.transforms.split_barriers import SplitBarriers

_FACTORIES: tuple[Callable[[], Pass], ...] = (
    LowerTileIR,
    LowerMlir,
    LiftControlFlow,
    LowerTlx,
    InferWorkGroup,
    DeriveNullArguments,
    DeriveLaunchConstraints,
    DropEmptyTiles,
    RaiseContractions,
    FuseEpilogues,
    LoopsOnTiles,
    LowerForeach,
    LowerCooperativeMatrices,
    LowerCollectives,
    SeparateArrays,
    Canonicalize,
    EliminateCommonSubexpressions,
    HoistLoopInvariants,
    MergeBranches,
    ForwardStores,
    EliminateDeadCode,
    AssignStack,
    InsertBarriers,
    SplitBarriers,
    SinkIntoBranches,
    InsertBoundsChecks,
    ChooseSchedule,
    RecomputeTiles,
    AssignLayouts,
    LowerToLanes,
)


class UnknownPass(CallerError, ValueError):
    """There is no such pass."""


def pass_names(pipeline: Iterable[Pass]) -> list[str]:
    """All names that `parse_pipeline` knows."""
    return sorted(_available(pipeline))


def parse_pipeline(text: str, pipeline: Iterable[Pass]) -> list[Pass]:
    """Passes from comma-separated names, with the options that they have in a target's pipeline.

    Raises `UnknownPass`, naming the candidates, for an unknown name.
    """
    known = _available(pipeline)
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise UnknownPass(f"unknown pass {name!r}; known ones: {', '.join(sorted(known))}")
    return [known[name] for name in names]


def _available(pipeline: Iterable[Pass]) -> dict[str, Pass]:
    found = extended("a pass", {p.name: p for p in (factory() for factory in _FACTORIES)}, _named_passes)
    found.update((p.name, p) for p in pipeline)
    return found


def _named_passes(plugin: Plugin) -> dict[str, Pass]:
    return {p.name: p for p in (factory() for factory in (*plugin.passes, *plugin.lowerings))}
