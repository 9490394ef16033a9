"""Programs of several instructions, whose tiles a few elements long are divided among blocks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, Final, cast

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from generators import collectives, spmd
from generators.arguments import Generated, members
from generators.values import Data
from generators.writer import Team, Writer
from tilewright.diagnostics import Report, Source
from tilewright.dialects import team
from tilewright.dialects.builtin import Kernel, Module
from tilewright.frontends.tensor_language.parser import parse
from tilewright.interpreter import Group
from tilewright.ir.passes import PassContext, PassManager
from tilewright.runtime.groups import ArrayGroup
from tilewright.transforms.generic_policies import GenericTeamPolicy, GenericTilePolicy
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.pipeline import common_pipeline
from tilewright.transforms.policy import SpreadPolicy, TilePolicy
from tilewright.transforms.spread_collectives.cutting import CutForeach
from tilewright.transforms.spread_collectives.splitting import SplitSums
from tilewright.transforms.spread_collectives.spreading import SpreadCollectives
from tilewright.transforms.spread_collectives.widening import WidenProducts

Array = NDArray[Any]


class Tiles(GenericTilePolicy, frozen=True):
    """Larger ones for large products."""

    def of(self, kernel: Kernel) -> TilePolicy:
        """Twice as large in a step of another kernel."""
        return replace(self, block=6, whole=0) if kernel.step_of is not None else self


TILES = Tiles(whole=2, block=3, depth=4, run=6)
SPREADING = SpreadCollectives(SpreadPolicy(fewest=2, step_tiles=2, band=2, sum_blocks=5, tiles_of_part=1))
_STATEMENTS = [
    collectives.axpby,
    collectives.total,
    collectives.cumsum,
    *[collectives.gemm] * 4,
    *[collectives.gemv] * 2,
    collectives.ger,
    collectives.hadamard,
    collectives.part,
    collectives.regrouped,
    collectives.chain,
    collectives.repeated,
    spmd.foreach,
]
FEW_THREADS: Final = Team(4, 1, 1)


def program(rnd: random.Random, dynamic: Sequence[float] = (0.0, 0.0, 0.3, 1.0), team: Team = FEW_THREADS) -> Generated:
    """One to three instructions of a team on arrays of which each has memory of its own.

    One of the shares in `dynamic` is that of extents which only a launch knows.
    """
    dtype = rnd.choice(("f32", "f64", "i32", "c32", "f16"))
    w = Writer(rnd, rnd.choice(dynamic), Data.SMALL, team, rnd.choice(((1, 1, 1), (1, 1, 1), (2, 1, 1))))
    if dtype[0] == "c":
        w.sums()
    for _ in range(rnd.choice((1, 1, 2, 3))):
        statement = rnd.choice(_STATEMENTS)
        statement(w, dtype)
    return Generated(w.text(w.team.attributes), w.arguments, w.exact, w.signs, w.grid, w.races)


def read(text: str, apart: bool = False) -> Module:
    """A program, all of whose parameters have memory of their own if they are `apart`."""
    report = Report()
    module = parse(Source("k.tl", text), report)
    assert isinstance(module, Module), [str(d) for d in report.diagnostics]
    assert not report.has_errors, [str(d) for d in report.diagnostics]
    for kernel in module.kernels:
        if apart:
            given = [kernel.attributes_of(parameter) for parameter in kernel.parameters]
            kernel.parameter_attributes = tuple({**found, "noalias": True} for found in given)
    PassManager([InferWorkGroup()], verify_each=True).run(module, PassContext())
    return module


def divided(module: Module, level: int = 2, checked: bool = False, passes: SpreadCollectives = SPREADING) -> Module:
    """The program on tiles, its work-groups divided where that is possible."""
    for kernel in module.kernels:
        if not any(isinstance(op, team.GroupId | team.NumGroups) for op in kernel.walk()):
            kernel.max_groups = 1
    alone, points = [SplitSums(TILES, passes.policy), WidenProducts(TILES)], [CutForeach(part=3, least=2)]
    steps = common_pipeline(
        GenericTeamPolicy(), TILES, level, checked, instruction_passes=alone, point_passes=points, tile_passes=[passes]
    )
    PassManager(steps, verify_each=True).run(module, PassContext())
    return module


def passed(generated: Generated) -> list[Any]:
    """Arguments as the interpreter takes them."""
    found: list[Any] = []
    for argument in generated.copy_arguments():
        if isinstance(argument, ArrayGroup):
            found.append(Group(members(argument), argument.offset))
        else:
            found.append(Group(argument) if isinstance(argument, list) else argument)
    return found


def arrays(arguments: Sequence[Any]) -> list[Array]:
    """Every array among arguments, groups taken apart."""
    found: list[Array] = []
    for argument in arguments:
        if isinstance(argument, Group):
            found += [a for a in argument.arrays if a is not None]
        elif isinstance(argument, np.ndarray):
            found.append(cast("Array", argument))
    return found
