"""The best plan of a product, and what it could have instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from tilewright.dialects.matrix_instructions import MatrixInstruction, instructions_of
from tilewright.ir.schedules import ProductChoice
from tilewright.transforms.schedule.products.plan import MOST_ASKED_STAGES, WARP, Block, ProductPlan, Shape
from tilewright.transforms.schedule.products.warp_plans import plan_with
from tilewright.transforms.schedule.products.warpgroup_plans import best_of_warpgroups, warpgroup_plans


def plan_product(shape: Shape, block: Block, wanted: ProductChoice | None = None) -> ProductPlan | str:
    """The best way of a product, among those that are `wanted`, or why there is none."""
    if block.threads % WARP:
        return f"{block.threads} threads are no whole warps"
    plan = best_of_warpgroups(shape, block, wanted)
    if plan is not None:
        return plan
    refused: list[str] = []
    known = _instructions(shape, block)
    usable = [instruction for instruction in known if wanted is None or instruction.name == wanted.instruction]
    if wanted is not None and not usable:
        return f"{wanted.instruction} is none of {', '.join(each.name for each in known)}"
    for instruction in usable:
        found = plan_with(instruction, shape, block.threads // WARP, block.shared_bytes, wanted)
        if not isinstance(found, str):
            return found
        refused.append(f"{instruction.name}: {found}")
    return "; ".join(refused) or f"nothing multiplies {shape.lhs} by {shape.rhs} into {shape.sum}"


def choices_beside(shape: Shape, block: Block, taken: ProductChoice) -> Iterator[ProductChoice]:
    """What a product could have instead of what it took: more or fewer stages, other warps, other instructions."""
    for stages in () if taken.stages is None else (taken.stages + 1, taken.stages - 1):
        if 1 <= stages <= MOST_ASKED_STAGES:
            yield replace(taken, stages=stages)
    instructions = _instructions(shape, block)
    found = dict[ProductChoice, None]()
    for along_m in range(1, block.threads // WARP + 1):
        for plan in _of_all_warps(shape, block, instructions, along_m):
            found[ProductChoice(taken.tile, plan.instruction.name, (plan.lhs.warps, plan.rhs.warps))] = None
    others = [choice for choice in found if (choice.instruction, choice.warps) != (taken.instruction, taken.warps)]
    yield from sorted(others, key=lambda choice: choice.instruction != taken.instruction)


def _instructions(shape: Shape, block: Block) -> list[MatrixInstruction]:
    """What warps multiply with, the best first."""
    return instructions_of(shape.lhs, shape.rhs, shape.sum, block.architecture, shape.signs(0))


def _of_all_warps(
    shape: Shape, block: Block, instructions: Sequence[MatrixInstruction], along_m: int
) -> Iterator[ProductPlan]:
    """For each instruction the plan whose warps are so many along m, if there is one."""
    warps = block.threads // WARP
    yield from warpgroup_plans(shape, block, along_m)
    if warps % along_m == 0:
        for instruction in instructions:
            wanted = ProductChoice((shape.m, shape.n, shape.k), instruction.name, (along_m, warps // along_m))
            found = plan_with(instruction, shape, warps, block.shared_bytes, wanted)
            if not isinstance(found, str):
                yield found
