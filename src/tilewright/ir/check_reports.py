"""What the compiled check of an operation reports: counts, types and attributes that are not as declared."""

from __future__ import annotations

from tilewright.diagnostics import Report
from tilewright.ir.core import Operation
from tilewright.ir.types import ScalarType, Type


def spoken(op: Operation) -> str:
    """An operation as its source text calls it, else its name without the dialect."""
    where = op.places.get("mnemonic") if op.places else None
    place = None if where is None else where.primary
    return op.name.split(".", 1)[1] if place is None else place.source.text[place.start : place.end]


def report_count(op: Operation, report: Report) -> None:
    d = op.definition
    wanted = sum(not s.varies for s in d.operands.values())
    least = "" if wanted == len(d.operands) else "at least "
    report.error(d.code, op.location, f"{spoken(op)} takes {least}{wanted} operands, not {len(op.operands)}")


def report_segments(op: Operation, report: Report) -> None:
    found = op.attributes.get("operand_segments")
    said = "is missing" if found is None else f"is {found!r}"
    names = ", ".join(op.definition.operands)
    message = f"{spoken(op)}: operand_segments {said}; it says how many of the {len(op.operands)} operands are {names}"
    report.error(op.definition.code, op.location, message)


def report_successors(op: Operation, report: Report) -> None:
    d = op.definition
    wanted = sum(not s.variadic for s in d.successors.values())
    least = "" if wanted == len(d.successors) else "at least "
    report.error("IR006", op.location, f"{spoken(op)} goes on in {least}{wanted} blocks, not {len(op.successors)}")


def report_type(op: Operation, report: Report, place: tuple[str, int], key: str, found: Type) -> None:
    kind, index = place
    d = op.definition
    spec = d.operands[key] if kind == "operand" else d.results[key]
    where = op.place(place) if kind == "operand" else op.place("type")
    finding = report.error(d.code, where, f"{spoken(op)}: {key} must be {spec.constraint.description}, not {found}")
    if kind == "operand":
        finding.label(op.operands[index].location, "defined here")
        if spec.constraint.description == "index" and isinstance(found, ScalarType) and found.is_integer:
            finding.hint("cast it to index first")


def report_mismatch(
    op: Operation, report: Report, place: tuple[str, int] | str, key: str, found: Type, expected: Type
) -> None:
    finding = report.error(
        op.definition.code, op.place(place), f"{spoken(op)}: {key} has type {found}, but {expected} is expected here"
    )
    if isinstance(place, tuple):
        finding.label(op.operands[place[1]].location, "defined here").hint(
            "nothing is converted silently: write a cast"
        )
    else:
        finding.hint(f"write {expected}")


def report_attribute(op: Operation, report: Report, key: str) -> None:
    kind = op.definition.attributes[key].kind.__name__
    found = op.attributes.get(key)
    said = "is missing" if key not in op.attributes else f"is {found!r}"
    name = key.removesuffix("_")  # where Python has that name for itself
    report.error(op.definition.code, op.place(key), f"{spoken(op)}: attribute {name} {said}; it must be of kind {kind}")
