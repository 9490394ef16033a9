"""Blocks of a launch that have no tile: where extents are open, what a block does with its tile is in a branch.

    scf.if (%i < %i_whole and %j < %j_whole) { the tile of the block }

A launch has one block at least, which takes part in what lies behind the tiles.
"""

from __future__ import annotations

from tilewright.dialects.builder import Builder, new_region
from tilewright.dialects.mlir import arith, gpu, scf
from tilewright.ir.core import Region, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.types import I64
from tilewright.transforms.matmul_stages.index_values import sums
from tilewright.transforms.matmul_stages.matmul import Broken, Matmul
from tilewright.transforms.matmul_stages.nests import applied, axes_of, form_of

WHAT = "blocks without a tile"


def branch_of_tiles(matmul: Matmul, build: Builder) -> Builder:
    """A branch for blocks that have a tile; gives where its body goes."""
    below = IntegerAttribute(arith.INTEGER_PREDICATES.index("slt"), I64)
    rows, columns = (
        build(arith.CmpI(applied(build, matmul.start(letter)), applied(build, matmul.whole[letter]), below)).out
        for letter in "ij"
    )
    region, block = new_region()
    build(scf.If(build(arith.AndI(rows, columns)).out, region, Region(), result_types=[]))
    end = Builder(block, location=build.location)(scf.Yield([]))
    return Builder(block, end, build.location)


def check_branch(matmul: Matmul, launch: gpu.Launch) -> None:
    """What blocks do with tiles is done by those that have one, and by no other. Raises `Broken` if not."""
    k = matmul.loop("k", WHAT)
    around = [op for op in k.ancestors() if isinstance(op, scf.If) and launch.is_ancestor_of(op)]
    if not around and matmul.has_tiles:
        return
    if len(around) != 1:
        raise Broken(WHAT, k, "blocks multiply that have no tile")
    (branch,) = around
    for entered in _entered(matmul, launch, branch):
        if matmul.has_tiles and not entered:
            raise Broken(WHAT, branch, "a block that has a tile does not multiply it")
        if entered and not matmul.has_tiles:
            raise Broken(WHAT, branch, "blocks multiply that have no tile")


def _entered(matmul: Matmul, launch: gpu.Launch, branch: scf.If) -> list[bool]:
    """Whether each block enters a branch."""
    x, y, z = (axis.numbers or range(0) for axis in axes_of(launch)[:3])
    places = [(a, b, c) for a in x for b in y for c in z]
    known: dict[Value, list[int]] = {value: [place[k] for place in places] for k, value in enumerate(launch.ids(0))}
    found = [True] * len(places)
    condition = branch.condition.defining_op
    compared = [v.defining_op for v in condition.operands] if isinstance(condition, arith.AndI) else [condition]
    for one in compared:
        if not isinstance(one, arith.CmpI) or one.relation != "slt":
            raise Broken(WHAT, branch, "it is not known which blocks enter a branch")
        form = form_of(one.rhs).plus(form_of(one.lhs), -1)
        found = [old and left > 0 for old, left in zip(found, sums(form, known, len(places)), strict=True)]
    return found
