"""Rules of modules, entries, globals and constants."""

from __future__ import annotations

from collections.abc import Mapping

from tilewright.diagnostics import Report
from tilewright.dialects.cuda_tile.attributes import Dense, Symbol
from tilewright.dialects.cuda_tile.legal_types import problem
from tilewright.dialects.cuda_tile.rules import error
from tilewright.dialects.cuda_tile.rules_control import ends
from tilewright.dialects.cuda_tile.rules_debug import entry_scopes, global_scopes
from tilewright.dialects.cuda_tile.types import I4, ElementType, Pointer, Tile
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.types import Type


def declarations(
    op: Operation, report: Report, body: Region, declare: tuple[type[Operation], ...]
) -> Mapping[str, Operation]:
    """Only operations that `declare` a symbol, with distinct names; by name, the first that has it."""
    if len(body.blocks) != 1 or body.blocks[0].arguments:
        error(op, report, "C21", op.location, "a module has one block without arguments")
    seen: dict[str, Operation] = {}
    for block in body.blocks:
        for item in block:
            if not isinstance(item, declare):
                error(op, report, "C21", item.location, f"{item.name} cannot stand in a module; write it in an entry")
                continue
            name = item.attributes["sym_name"]
            assert isinstance(name, str)
            if name in seen:
                found = report.error("C5", item.place("sym_name"), f"the symbol @{name} is defined twice")
                found.label(seen[name].place("sym_name"), "defined here")
            elif not name:
                report.error("C5", item.place("sym_name"), "a symbol is not empty")
            seen.setdefault(name, item)
    return seen


def entry(op: Operation, report: Report, body: Region) -> None:
    """Parameters are scalars; debug scopes belong to this entry."""
    if len(body.blocks) != 1:
        error(op, report, "C21", op.location, "an entry has one block")
        return
    for argument in body.entry.arguments:
        if not isinstance(argument.type, Tile) or argument.type.shape:
            error(op, report, "C21", argument.location, f"parameters are rank-0 tiles, not {argument.type}")
        elif argument.type.element is I4:
            error(op, report, "C21", argument.location, "there are no parameters of type i4").hint("pass an i8")
    ends(op, report, body)
    entry_scopes(op, report)


def global_(op: Operation, report: Report, value: Dense, type_: Type, alignment: int, in_module: bool) -> None:
    """A tile of rank 1 and its elements, in a module."""
    if not in_module:
        error(op, report, "C21", op.location, "globals stand in modules only")
    if not isinstance(type_, Tile) or len(type_.shape) != 1:
        error(op, report, "C21", op.place("type"), f"the type of a global is a tile of rank 1, not {type_}")
        return
    constant(op, report, value, type_, "the global")
    if alignment < 0 or alignment & (alignment - 1):
        error(op, report, "C21", op.place("alignment"), f"the alignment is a power of two, not {alignment}")
    global_scopes(op, report)


def constant(op: Operation, report: Report, value: Dense, type_: Type, what: str) -> None:
    """The elements have the type's element type and fill its shape."""
    assert isinstance(type_, Tile)
    if value.element is not type_.element:
        error(op, report, "C20", op.place("value"), f"elements of type {value.element} for {what} of type {type_}")
    elif value.count != type_.size:
        error(op, report, "C20", op.place("value"), f"{value.count} elements for {what} of type {type_}")


def reference(
    op: Operation, report: Report, symbol: Symbol, out: Value, declaration: Operation | None, declared: Type | None
) -> None:
    """A `get_global` names a global, of the type `declared` by its declaration, with its element type."""
    pointer = out.type.element if isinstance(out.type, Tile) else None
    if declaration is None:
        error(op, report, "C5", op.place("symbol"), f"the module has no global @{symbol.name}")
    elif isinstance(declared, Tile) and isinstance(pointer, Pointer) and pointer.pointee is not declared.element:
        message = f"@{symbol.name} has elements of type {declared.element}, not {pointer.pointee}"
        error(op, report, "C10", op.place("type"), message).label(declaration.place("type"), "declared here")


def legal_types(op: Operation, report: Report) -> None:
    """Types of everything in an operation are legal; for modules that no reader has looked at."""
    seen: dict[Type, None] = {}
    for inner in op.walk():
        values: list[Value] = list(inner.results)
        values += [a for r in inner.regions for b in r.blocks for a in b.arguments]
        for value in values:
            if value.type in seen:
                continue
            seen[value.type] = None
            if isinstance(value.type, ElementType):
                report.error("C8", value.location, f"{value.type} is no type of a value; write tile<{value.type}>")
            elif (found := problem(value.type)) is not None:
                report.error("C8", value.location, f"{value.type}: {found}")
