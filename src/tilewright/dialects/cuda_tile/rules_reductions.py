"""Rules of reductions and scans."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.attributes import Number
from tilewright.dialects.cuda_tile.rules import error, number, shape, version_of
from tilewright.dialects.cuda_tile.rules_control import ends
from tilewright.dialects.cuda_tile.types import BF16, F16, ElementType, Tile, Version, scalar
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.definition import PURE, TERMINATOR
from tilewright.ir.types import Type

REGION = "C14"


def elements(inputs: Sequence[Value]) -> list[Type]:
    """One rank-0 tile for each operand."""
    return [scalar(v.type.element) if isinstance(v.type, Tile) else v.type for v in inputs]


def reduction(
    op: Operation,
    report: Report,
    inputs: Sequence[Value],
    dim: int,
    identities: Sequence[Number],
    body: Region,
    drops: bool,
) -> None:
    """Operands of one shape, an identity for each, and a pure region on pairs of elements."""
    ends(op, report, body)
    if not inputs:
        error(op, report, REGION, op.location, "there is at least one operand")
        return
    extents = shape(inputs[0])
    if any(shape(v) != extents for v in inputs):
        error(op, report, "C11", op.place("type"), "all operands have one shape")
        return
    if not 0 <= dim < len(extents):
        error(op, report, "C11", op.place("dim"), f"dimension {dim} is not one of the {len(extents)} of the operands")
        return
    _results(op, report, inputs, dim if drops else None)
    _identities(op, report, inputs, identities)
    _body(op, report, inputs, body)


def _results(op: Operation, report: Report, inputs: Sequence[Value], dropped: int | None) -> None:
    wanted: list[Type] = [Tile(tuple(e for k, e in enumerate(shape(v)) if k != dropped), number(v)) for v in inputs]
    found = [r.type for r in op.results]
    if found != wanted:
        said = ", ".join(map(str, wanted))
        error(op, report, "C11", op.place("type"), f"results are {said}, not {', '.join(map(str, found)) or 'none'}")


def _identities(op: Operation, report: Report, inputs: Sequence[Value], identities: Sequence[Number]) -> None:
    if len(identities) != len(inputs):
        error(op, report, REGION, op.place("identities"), f"{len(identities)} identities for {len(inputs)} operands")
        return
    for value, identity in zip(inputs, identities, strict=True):
        if not _fits(identity.element, number(value)):
            message = f"an identity of type {identity.element} for elements of type {number(value)}"
            error(op, report, REGION, op.place("identities"), message)


def _fits(found: ElementType, wanted: ElementType) -> bool:
    return found is wanted or {found, wanted} == {F16, BF16}


def _body(op: Operation, report: Report, inputs: Sequence[Value], body: Region) -> None:
    if len(body.blocks) != 1:
        return
    wanted = [t for t in elements(inputs) for _ in range(2)]
    if [a.type for a in body.entry.arguments] != wanted:
        said = ", ".join(map(str, wanted))
        error(
            op, report, REGION, op.location, f"arguments of the region are {said}: element, accumulator of each operand"
        )
    later = version_of(op) >= Version.V13_4
    for inner in body.entry:
        if TERMINATOR in inner.definition.traits:
            if inner.name != "cuda_tile.yield":
                error(op, report, REGION, inner.location, "the region ends in yield")
        elif not _allowed(inner, later):
            what = "without effects" if later else "pure and can be run ahead of time"
            error(op, report, REGION, inner.location, f"operations in the region are {what}, unlike {inner.name}")


def later_region(body: Region) -> str:
    """What only 13.4 and later allow."""
    for op in body.entry:
        if TERMINATOR not in op.definition.traits and not _allowed(op, later=False):
            return f"{op.name.removeprefix('cuda_tile.')} in the region"
    return ""


def _allowed(op: Operation, later: bool) -> bool:
    if PURE in op.definition.traits and not op.regions:
        return True
    if not later:
        return False
    if op.regions:
        nested = (i for r in op.regions for b in r.blocks for i in b)
        return all(TERMINATOR in i.definition.traits or _allowed(i, later) for i in nested)
    effects = op.effects()
    return effects is not None and not effects
