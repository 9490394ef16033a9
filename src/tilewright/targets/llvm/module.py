"""The module, its functions and blocks: what collects the text that builders emit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, field

from tilewright.targets.llvm.computed import Computed
from tilewright.targets.llvm.values import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_]")


class Parameter(NamedTuple):
    """A function parameter; `attributes` is text such as `"noalias align 64"`."""

    type: str
    name: str
    attributes: str = ""


class Callee(NamedTuple):
    """A function as callers see it; `convention` and `attributes` are repeated at the call."""

    name: str
    result: str
    parameters: tuple[str, ...]
    convention: str = ""


class Phi(Struct):
    """A phi whose incoming edges may arrive after its first use."""

    value: Value
    incoming: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    def add(self, value: Value, block: Block) -> None:
        """Name the value on the edge from `block`."""
        self.incoming.append((value.text, block.label))

    def __str__(self) -> str:
        edges = ", ".join(f"[ {text}, %{label} ]" for text, label in self.incoming)
        return f"  {self.value.text} = phi {self.value.type} {edges}"


class Block:
    """A basic block: phis first, then lines, of which the last is a terminator."""

    __slots__ = ("_spread", "label", "lines", "phis", "terminated")

    def __init__(self, label: str) -> None:
        self.label = label
        self.phis: list[Phi] = []
        self.lines: list[str] = []
        self.terminated = False
        self._spread: list[tuple[int, str]] = []

    @property
    def is_empty(self) -> bool:
        """Whether it has no instruction."""
        return not (self.phis or self.lines or self._spread)

    def spread_last(self, count: int) -> None:
        """The last `count` lines may stand anywhere from here on: all such are dealt out evenly over the block."""
        line = "\n".join(self.lines[-count:])
        del self.lines[-count:]
        self._spread.append((len(self.lines), line))

    def terminate(self, line: str) -> None:
        """End the block."""
        assert not self.terminated, f"block {self.label} already has a terminator"
        if self._spread:
            self.lines = _dealt_out(self._spread, self.lines)
        self.lines.append(line)
        self.terminated = True


def _dealt_out(spread: list[tuple[int, str]], lines: list[str]) -> list[str]:
    """The lines with the spread ones at even distances behind the last of their earliest places."""
    first = spread[-1][0]
    behind, result = len(lines) - first, lines[:first]
    start = 0
    for number, (_, line) in enumerate(spread, 1):
        result.append(line)
        end = behind * number // len(spread)
        result += lines[first + start : first + end]
        start = end
    return result


class Function:
    """A function being defined. Create it with `Module.function`, fill it with a `Builder`."""

    __slots__ = (
        "_counter",
        "_entry_allocas",
        "_head",
        "arguments",
        "blocks",
        "callee",
        "computed",
        "module",
        "streams",
    )

    def __init__(
        self, module: Module, head: str, callee: Callee, arguments: list[Value], computed: Computed | None
    ) -> None:
        self.module = module
        self.callee = callee
        self.arguments = arguments
        self.blocks: list[Block] = []
        self.streams = False
        """Whether it has non-temporal stores, which only a fence orders before later ones."""
        self.computed = computed
        """Instructions whose values are taken again; None if all are emitted anew."""
        self._head = head
        self._counter = 0
        self._entry_allocas: list[str] = []

    def name(self, hint: str) -> str:
        """A fresh local name (without `%`); `hint` starts with a letter and is made of letters, digits, `_`."""
        self._counter += 1
        return f"{hint}.{self._counter}"

    @property
    def length(self) -> int:
        """About how many instructions there are: those with results, and blocks."""
        return self._counter

    def add_block(self, hint: str = "bb") -> Block:
        """Append an empty block; the first one is the entry."""
        block = Block(self.name(hint))
        self.blocks.append(block)
        return block

    def add_alloca(self, line: str) -> None:
        """Put an instruction before all others of the entry block."""
        self._entry_allocas.append(line)

    def lines(self) -> Iterable[str]:
        """The text of the function."""
        yield self._head
        yield from self._body()

    def meaning(self) -> str:
        """The text of the function but for its name: functions with one meaning are interchangeable."""
        return "\n".join([self._head.replace(f"@{self.callee.name}(", "@(", 1), *self._body()])

    def _body(self) -> Iterable[str]:
        for index, block in enumerate(self.blocks):
            assert block.terminated, f"block {block.label} of @{self.callee.name} has no terminator"
            yield f"{block.label}:"
            if index == 0:
                yield from self._entry_allocas
            for phi in block.phis:
                yield str(phi)
            yield from block.lines
        yield "}"


class Module:
    """An LLVM module as text. Declarations and metadata are written once however often they are asked for."""

    __slots__ = (
        "_declarations",
        "_dropped",
        "_functions",
        "_globals",
        "_meanings",
        "_metadata",
        "_structs",
        "data_layout",
        "emitted",
        "triple",
    )

    def __init__(self, triple: str = "", data_layout: str = "") -> None:
        self.triple = triple
        self.data_layout = data_layout
        self.emitted = 0
        """Instructions that have been emitted, without phis and the ends of blocks."""
        self._dropped = 0
        self._declarations: dict[str, str] = {}
        self._functions: dict[str, Function] = {}
        self._globals: dict[str, tuple[Value, str]] = {}
        self._meanings: dict[str, Callee] = {}
        self._metadata: list[str] = []
        self._structs: dict[str, str] = {}

    def function(
        self,
        name: str,
        result: str,
        parameters: Sequence[Parameter | tuple[str, str]],
        *,
        attributes: str = "nounwind",
        linkage: str = "",
        convention: str = "",
        result_attributes: str = "",
        reuses: bool = False,
    ) -> Function:
        """Start the definition of a function; `convention` is for example `"ptx_kernel"`.

        One that `reuses` computes what it has computed on every way to a place no second time there, for code
        generators that would.
        """
        assert name not in self._functions, f"@{name} is already defined"
        arguments: list[Value] = []
        texts: list[str] = []
        for index, parameter in enumerate(parameters):
            typed = Parameter(*parameter)
            local = f"%{_NOT_IN_NAMES.sub('_', typed.name)}.p{index}" if typed.name else f"%arg.p{index}"
            if not local[1].isalpha():
                local = f"%p{local[1:]}"
            arguments.append(Value(typed.type, local))
            texts.append(f"{typed.type} {typed.attributes} {local}" if typed.attributes else f"{typed.type} {local}")
        words = [
            "define",
            linkage,
            convention,
            result_attributes,
            result,
            f"@{name}({', '.join(texts)})",
            attributes,
            "{",
        ]
        callee = Callee(name, result, tuple(a.type for a in arguments), convention)
        function = Function(
            self, " ".join(word for word in words if word), callee, arguments, Computed() if reuses else None
        )
        self._functions[name] = function
        return function

    def defined(self, name: str) -> Callee | None:
        """The function of that name if this module defines it: how helpers are emitted once."""
        function = self._functions.get(name)
        return function.callee if function else None

    @property
    def length(self) -> int:
        """About how many instructions the module has."""
        return self.emitted - self._dropped

    def once(self, function: Function) -> Callee:
        """A complete internal function, or an earlier one that does the same, in favour of which it goes."""
        meaning = function.meaning()
        known = self._meanings.setdefault(meaning, function.callee)
        if known is not function.callee:
            del self._functions[function.callee.name]
            self._dropped += function.length
        return known

    def declared(self, name: str) -> bool:
        """Whether `declare` was called for a name."""
        return name in self._declarations

    def declare(self, name: str, result: str, parameters: Sequence[str], attributes: str = "") -> Callee:
        """Declare an external function or an intrinsic, once."""
        if name not in self._declarations:
            suffix = f" {attributes}" if attributes else ""
            self._declarations[name] = f"declare {result} @{name}({', '.join(parameters)}){suffix}"
        return Callee(name, result, tuple(parameters))

    def global_variable(
        self,
        name: str,
        ltype: str,
        initializer: str,
        *,
        linkage: str = "internal",
        constant: bool = False,
        address_space: int = 0,
        align: int = 0,
    ) -> Value:
        """A global, once per name; `initializer` is LLVM text (`""` for an external one). The result is its address."""
        if name not in self._globals:
            space = f"addrspace({address_space}) " if address_space else ""
            tail = f", align {align}" if align else ""
            words = " ".join(
                w for w in (linkage, f"{space}{'constant' if constant else 'global'}", ltype, initializer) if w
            )
            pointer = f"ptr addrspace({address_space})" if address_space else "ptr"
            self._globals[name] = (Value(pointer, f"@{name}"), f"@{name} = {words}{tail}")
        return self._globals[name][0]

    def struct(self, ltype: str) -> str:
        """A name for a struct type: those of hundreds of members stand at every use of one."""
        return self._structs.setdefault(ltype, f"%struct.{len(self._structs)}")

    def metadata(self, node: str) -> str:
        """The number (`"!3"`) of a metadata node given as text, for example `"!{i32 1}"`."""
        if node in self._metadata:
            return f"!{self._metadata.index(node)}"
        self._metadata.append(node)
        return f"!{len(self._metadata) - 1}"

    def loop_metadata(self, *properties: str) -> str:
        """A fresh loop identifier with properties such as `'!{!"llvm.loop.unroll.disable"}'`."""
        nodes = [self.metadata(p) for p in properties]
        own = f"!{len(self._metadata)}"
        self._metadata.append(f"distinct !{{{', '.join([own, *nodes])}}}")
        return own

    def __str__(self) -> str:
        lines: list[str] = []
        if self.data_layout:
            lines.append(f'target datalayout = "{self.data_layout}"')
        if self.triple:
            lines.append(f'target triple = "{self.triple}"')
        lines.extend(f"{name} = type {ltype}" for ltype, name in self._structs.items())
        lines.extend(text for _, text in self._globals.values())
        for function in self._functions.values():
            lines.extend(function.lines())
        lines.extend(text for name, text in self._declarations.items() if name not in self._functions)
        lines.extend(f"!{index} = {node}" for index, node in enumerate(self._metadata))
        return "\n".join(lines) + "\n"
