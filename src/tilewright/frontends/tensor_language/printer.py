"""IR of the language's operations -> text of the tensor language.

Printing what was parsed from printed text gives that text again, and nothing of the program is lost; definitions come
out expanded, comments are gone. Names are kept where they are valid and free. Nothing here recurses on nesting.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from tilewright.dialects import scf, team, tl
from tilewright.dialects.builtin import Kernel, Module
from tilewright.frontends.tensor_language.spelling import (
    SPELLERS,
    NotInLanguage,
    language_dictionary,
    spell_dictionary,
)
from tilewright.frontends.tensor_language.vocabulary import (
    FUNCTION_ATTRIBUTES,
    PARAMETER_ATTRIBUTES,
    PARAMETER_PROMISES,
)
from tilewright.ir.core import Block, Operation, Region, Value

INDENT: Final = "    "
_NAME: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*|0|[1-9][0-9]*")


class _Names:
    """Names along the chain of enclosing regions."""

    def __init__(self) -> None:
        self._names: dict[Value, str] = {}
        self._visible: set[str] = set()
        self._scopes: list[list[str]] = []
        self._counters: dict[str, int] = {}

    def open(self) -> None:
        self._scopes.append([])

    def close(self) -> None:
        self._visible.difference_update(self._scopes.pop())

    def choose(self, values: Sequence[Value]) -> list[str]:
        """Free names for values; they become visible with `reveal`."""
        chosen: list[str] = []
        for value in values:
            name = self._free(value.name, chosen)
            self._names[value] = name
            chosen.append(name)
        return ["%" + name for name in chosen]

    def reveal(self, values: Sequence[Value]) -> None:
        names = [self._names[v] for v in values]
        self._visible.update(names)
        self._scopes[-1] += names

    def define(self, values: Sequence[Value]) -> list[str]:
        """Name values that are visible at once."""
        names = self.choose(values)
        self.reveal(values)
        return names

    def __call__(self, value: Value) -> str:
        return "%" + self._names[value]

    def _free(self, hint: str | None, also: Sequence[str]) -> str:
        if hint is not None and _NAME.fullmatch(hint):
            if hint not in self._visible and hint not in also:
                return hint
            stem = "" if hint.isdigit() else hint + "_"
        else:
            stem = ""
        number = self._counters.get(stem, 0)
        while f"{stem}{number}" in self._visible or f"{stem}{number}" in also:
            number += 1
        self._counters[stem] = number + 1
        return f"{stem}{number}"


class _Body(Struct, frozen=True):
    """Work: the operations of a block, in a scope of their own that is open already."""

    operations: Iterator[Operation]
    indent: str


class _End(Struct, frozen=True):
    """Work: close the scope; then a line, then the results become visible; `block` opens another region."""

    line: str
    results: Sequence[Value] = ()
    following: Block | None = None
    indent: str = ""


class _Printer:
    def __init__(self) -> None:
        self.lines: list[str] = []
        self.names = _Names()
        self.work: list[_Body | _End] = []
        self.heads: dict[Operation, str] = {}

    def kernel(self, op: Kernel) -> None:
        if op.local_bytes:
            raise NotInLanguage(f"kernel @{op.sym_name}: an assigned stack is not in the tensor language")
        self.names = _Names()
        self.names.open()
        names = self.names.define(op.parameters)
        parameters: list[str] = []
        for name, parameter in zip(names, op.parameters, strict=True):
            entries = language_dictionary(op.attributes_of(parameter), PARAMETER_ATTRIBUTES | PARAMETER_PROMISES)
            text = f" {spell_dictionary(entries)}" if entries else ""
            parameters.append(f"{name}: {parameter.type}{text}")
        entries = language_dictionary(op.attributes, FUNCTION_ATTRIBUTES)
        attributes = f" attributes{spell_dictionary(entries)}" if entries else ""
        self.heads[op] = f"func @{op.sym_name}({', '.join(parameters)}){attributes}"
        self.lines.append(self.heads[op] + " {")
        self.work.append(_End("}"))
        self.work.append(_Body(iter(op.body.entry), INDENT))
        self._run()

    def _run(self) -> None:
        """Work through operations and the ends of regions, innermost first."""
        while self.work:
            item = self.work[-1]
            if isinstance(item, _Body):
                op = next(item.operations, None)
                if op is None:
                    self.work.pop()
                else:
                    self._operation(op, item.indent)
                continue
            self.work.pop()
            self.names.close()
            self.lines.append(item.line)
            if item.following is not None:
                self.names.open()
                self.work.append(_End(item.indent + "}", item.results))
                self.work.append(_Body(iter(item.following), item.indent + INDENT))
            elif item.results:
                self.names.reveal(item.results)

    def _operation(self, op: Operation, indent: str) -> None:
        spell = SPELLERS.find(type(op))
        if spell is None:
            self._structured(op, indent)
            return
        text = spell(op, self.names)
        if op.results:
            (name,) = self.names.define(op.results)
            text = f"{name} = {text} : {op.result.type}"
        self.heads[op] = text
        self.lines.append(indent + text)

    def _structured(self, op: Operation, indent: str) -> None:
        """An operation with regions: its head, and its body as work to come."""
        results = self.names.choose(op.results)
        self.names.open()
        tail, following = "}", None
        match op:
            case scf.If():
                head = f"if {self.names(op.condition)}{_arrow(op)}"
                if op.orelse is not None:
                    tail, following = "} else {", _only_block(op.orelse)
            case scf.For():
                head = self._for(op)
                tail += _loop_attributes(op)
            case tl.Foreach():
                head = f"foreach {self._box(op.lowers, op.uppers, self.names.define(op.body.entry.arguments))}"
            case tl.ForeachTile():
                head = self._foreach_tile(op)
            case team.Spmd():
                head = "parallel"
            case tl.CoopApply():
                names = ",".join(self.names.define(op.body.entry.arguments))
                head = f"cooperative_matrix_apply ({names})={self.names(op.matrix)} -> {op.out.type}"
            case _:
                raise NotInLanguage(f"{op.name} is not in the tensor language")
        prefix = f"{', '.join(results)} = " if results else ""
        self.heads[op] = prefix + head
        self.lines.append(f"{indent}{prefix}{head} {{")
        self.work.append(_End(indent + tail, op.results, following, indent))
        self.work.append(_Body(iter(_only_block(op.regions[0])), indent + INDENT))

    def _for(self, op: scf.For) -> str:
        if op.parallel:
            raise NotInLanguage("a parallel for loop is not in the tensor language")
        bounds = [self.names(v) for v in (op.lower, op.upper, op.step) if v is not None]
        inits = [self.names(v) for v in op.inits]
        index, *carried = self.names.define(op.body.entry.arguments)
        text = f"for {index}={','.join(bounds)}"
        if inits:
            pairs = ",".join(f"{name}={init}" for name, init in zip(carried, inits, strict=True))
            text += f" init({pairs}){_arrow(op)}"
        return text

    def _foreach_tile(self, op: tl.ForeachTile) -> str:
        names = self.names.define(op.body.entry.arguments)
        half = len(names) // 2
        shape = ",".join(map(str, op.tile_shape))
        return f"foreach_tile {self._box(op.lowers, op.uppers, names[:half])} as ({','.join(names[half:])})<=({shape})"

    def _box(self, lowers: Sequence[Value], uppers: Sequence[Value], names: Sequence[str]) -> str:
        begin, end = ",".join(map(self.names, lowers)), ",".join(map(self.names, uppers))
        return f"({','.join(names)})=({begin}),({end})"


def _only_block(region: Region) -> Block:
    if len(region.blocks) != 1:
        raise NotInLanguage("a region of several blocks is not in the tensor language")
    return region.entry


def _arrow(op: Operation) -> str:
    """`-> (types)` if the operation has results."""
    return f" -> ({','.join(str(r.type) for r in op.results)})" if op.results else ""


def _loop_attributes(op: scf.For) -> str:
    entries = language_dictionary(op.attributes, frozenset({"unroll"}))
    return f" attributes{spell_dictionary(entries)}" if entries else ""


def _print(module: Module) -> Iterator[_Printer]:
    for op in module.body.entry:
        if not isinstance(op, Kernel):
            raise NotInLanguage(f"{op.name} is not a function")
        printer = _Printer()
        printer.kernel(op)
        yield printer


def print_module(module: Module) -> str:
    """Text of a program, with a line break at its end. Raises `NotInLanguage` after passes have left the language."""
    return "\n".join("\n".join(printer.lines) + "\n" for printer in _print(module))


def print_heads(module: Module) -> dict[Operation, str]:
    """The text of every function and instruction on its own, without its regions."""
    return {op: head for printer in _print(module) for op, head in printer.heads.items()}
