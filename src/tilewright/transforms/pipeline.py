"""The passes from a verified program to scheduled tiles, in order, for every target."""

from __future__ import annotations

from tilewright.ir.passes import Pass
from tilewright.transforms.assign_stack import AssignStack
from tilewright.transforms.infer_work_group import InferWorkGroup
from tilewright.transforms.insert_barriers import InsertBarriers
from tilewright.transforms.lower_collectives import LowerCollectives
from tilewright.transforms.lower_cooperative_matrices import LowerCooperativeMatrices
from tilewright.transforms.lower_foreach import LowerForeach
from tilewright.transforms.policy import TeamPolicy, TilePolicy


def common_pipeline(team: TeamPolicy, tiles: TilePolicy, level: int = 2) -> list[Pass]:
    """Steps 2 to 8 of the way down (docs/architecture.md); level 0 only lowers."""
    return [
        InferWorkGroup(team),
        LowerForeach(),
        LowerCooperativeMatrices(),
        LowerCollectives(tiles),
        AssignStack(),
        InsertBarriers(),
    ]
