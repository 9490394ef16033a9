"""Rules of structured control flow."""

from __future__ import annotations

from collections.abc import Sequence

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.rules import error
from tilewright.dialects.cuda_tile.types import TensorView, View
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.definition import TERMINATOR
from tilewright.ir.types import Type

FLOW = "C13"


def _types(values: Sequence[Value]) -> list[Type]:
    return [v.type for v in values]


def _spell(types: Sequence[Type]) -> str:
    return "(" + ", ".join(map(str, types)) + ")"


def ends(op: Operation, report: Report, *bodies: Region) -> None:
    """Regions have one block that ends in a terminator."""
    for body in bodies:
        if len(body.blocks) != 1:
            error(op, report, FLOW, op.location, f"a region has one block, not {len(body.blocks)}")
            continue
        last = body.entry.last
        if last is None or TERMINATOR not in last.definition.traits:
            place = op.location if last is None else last.location
            error(op, report, FLOW, place, "the region does not end in a terminator")


def _match(op: Operation, report: Report, found: Sequence[Type], wanted: Sequence[Type], what: str) -> None:
    if list(found) != list(wanted):
        error(op, report, FLOW, op.location, f"{what} {_spell(wanted)}, not {_spell(found)}")


def _carried(op: Operation, report: Report, types: Sequence[Type]) -> None:
    for type_ in types:
        if isinstance(type_, TensorView | View):
            error(op, report, FLOW, op.location, f"a {type_} cannot be carried or returned; make it again")


def if_(op: Operation, report: Report, then_body: Region, else_body: Region | None) -> None:
    """Results need an else; every branch that yields, yields them."""
    bodies = [then_body] if else_body is None else [then_body, else_body]
    ends(op, report, *bodies)
    results = _types(op.results)
    if results and else_body is None:
        error(op, report, FLOW, op.location, "an if with results needs an else")
    _carried(op, report, results)
    for body in bodies:
        if any(block.arguments for block in body.blocks):
            error(op, report, FLOW, op.location, "the regions of an if have no arguments")


def for_(op: Operation, report: Report, lower: Value, inits: Sequence[Value], body: Region) -> None:
    """One integer type for the range; initial values, arguments and results correspond."""
    ends(op, report, body)
    if len(body.blocks) != 1:
        return
    arguments = _types(body.entry.arguments)
    if not arguments or arguments[0] != lower.type:
        error(op, report, FLOW, op.location, f"the loop index has the type of the range, {lower.type}")
    _match(op, report, arguments[1:], _types(inits), "arguments of the loop have the types of the initial values")
    _match(op, report, _types(op.results), _types(inits), "results of the loop have the types of the initial values")
    _carried(op, report, _types(inits))


def loop(op: Operation, report: Report, inits: Sequence[Value], body: Region) -> None:
    """Initial values and arguments correspond."""
    ends(op, report, body)
    if len(body.blocks) != 1:
        return
    arguments = _types(body.entry.arguments)
    _match(op, report, arguments, _types(inits), "arguments of the loop have the types of the initial values")
    _carried(op, report, [*_types(inits), *_types(op.results)])


def enclosing(op: Operation, through: type[Operation]) -> Operation | None:
    """The nearest enclosing operation that is none of those that a terminator may leave on its way."""
    return next((a for a in op.ancestors() if not isinstance(a, through)), None)


def break_(op: Operation, report: Report, results: Sequence[Value] | None, in_for: bool) -> None:
    """In a `loop`, through ifs only, with the loop's `results`; None says that there is no such loop."""
    if results is not None:
        _match(op, report, _types(op.operands), _types(results), "break gives the results of the loop,")
        return
    found = error(op, report, FLOW, op.location, "break stands in a loop, with nothing but if between")
    if in_for:
        found.hint("a for runs to its end; write a loop, or a condition around its body")


def continue_(op: Operation, report: Report, carried: Sequence[Value] | None) -> None:
    """In a `for` or `loop`, through ifs only, with the `carried` values; None says that there is no such loop."""
    if carried is None:
        error(op, report, FLOW, op.location, "continue stands in a for or loop, with nothing but if between")
    else:
        _match(op, report, _types(op.operands), _types(carried), "continue gives the carried values,")


def yield_(op: Operation, report: Report, wanted: Sequence[Type], what: str) -> None:
    """With values of the types that the enclosing operation wants."""
    _match(op, report, _types(op.operands), wanted, f"yield gives {what},")


def misplaced_yield(op: Operation, report: Report) -> None:
    """A `yield` that ends no region of an operation that has results of it."""
    error(op, report, FLOW, op.location, "yield ends regions of if, reduce and scan only")


def return_(op: Operation, report: Report, in_entry: bool) -> None:
    """In an entry, through ifs only, without operands."""
    if op.operands:
        error(op, report, FLOW, op.location, "return takes no operands")
    if not in_entry:
        error(op, report, FLOW, op.location, "return stands in an entry, with nothing but if between; not in a loop")
