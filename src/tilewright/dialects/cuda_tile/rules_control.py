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


def _enclosing(op: Operation) -> Operation | None:
    """The nearest enclosing operation that is no `if`."""
    from tilewright.dialects.cuda_tile.control import If

    return next((a for a in op.ancestors() if not isinstance(a, If)), None)


def break_(op: Operation, report: Report) -> None:
    """In a `loop`, through ifs only, with the loop's results."""
    from tilewright.dialects.cuda_tile.control import For, Loop

    outer = _enclosing(op)
    if not isinstance(outer, Loop):
        found = error(op, report, FLOW, op.location, "break stands in a loop, with nothing but if between")
        if isinstance(outer, For):
            found.hint("a for runs to its end; write a loop, or a condition around its body")
        return
    _match(op, report, _types(op.operands), _types(outer.results), "break gives the results of the loop,")


def continue_(op: Operation, report: Report) -> None:
    """In a `for` or `loop`, through ifs only, with the carried values."""
    from tilewright.dialects.cuda_tile.control import For, Loop

    outer = _enclosing(op)
    if isinstance(outer, For):
        _match(op, report, _types(op.operands), _types(outer.results), "continue gives the carried values,")
    elif isinstance(outer, Loop):
        _match(op, report, _types(op.operands), _types(outer.inits), "continue gives the carried values,")
    else:
        error(op, report, FLOW, op.location, "continue stands in a for or loop, with nothing but if between")


def yield_(op: Operation, report: Report) -> None:
    """In an `if`, `reduce` or `scan`, with the results."""
    from tilewright.dialects.cuda_tile.control import If
    from tilewright.dialects.cuda_tile.reductions import Reduce, Scan
    from tilewright.dialects.cuda_tile.rules_reductions import elements

    outer = op.parent_op
    if isinstance(outer, If):
        _match(op, report, _types(op.operands), _types(outer.results), "yield gives the results of the if,")
    elif isinstance(outer, Reduce | Scan):
        _match(op, report, _types(op.operands), elements(outer.inputs), "yield gives one element of each operand,")
    else:
        error(op, report, FLOW, op.location, "yield ends regions of if, reduce and scan only")


def return_(op: Operation, report: Report) -> None:
    """In an entry, through ifs only, without operands."""
    from tilewright.dialects.cuda_tile.core import Entry

    if op.operands:
        error(op, report, FLOW, op.location, "return takes no operands")
    if not isinstance(_enclosing(op), Entry):
        error(op, report, FLOW, op.location, "return stands in an entry, with nothing but if between; not in a loop")
