"""Prints operations in the custom forms that declarations spell word by word, as the stock tool prints them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, cast

from tilewright.dialects.mlir import arith, func, mma
from tilewright.dialects.mlir.base import MlirOperation, integer_of
from tilewright.frontends.mlir.form_text import ROUNDINGS, words_of
from tilewright.ir.affine import AffineExpression
from tilewright.ir.attributes import Attribute
from tilewright.ir.core import Operation, Region, Value
from tilewright.ir.mlir.attributes import IntegerAttribute
from tilewright.ir.mlir.operations import MODULE, OpaqueOperation
from tilewright.ir.mlir.printer import GenericPrinter
from tilewright.ir.mlir.spelling import spell, spell_key
from tilewright.ir.mlir.trampoline import Steps
from tilewright.ir.types import BOOL, Type

_LETTER: Final = re.compile(r"\b([ds])(\d+)\b")
_SEGMENTS: Final = "operand_segments"


class FormPrinter(GenericPrinter):
    """Prints forms whose parts are words; forms that are all code are methods here and in classes derived.

    An operation without a custom form is printed in the generic one.
    """

    restarts = True

    def operation(self, op: Operation, indent: str) -> Steps[None]:
        if op.name == MODULE:
            yield self._module(op, indent)
        elif not isinstance(op, MlirOperation) or not op.form.words or not self.has_form(op):
            yield super().operation(op, indent)
        else:
            self.lines.append(f"{indent}{self.results(op)}{_short_name(op)}")
            words = words_of(op.form.words)
            self.write("".join(_spaced(self._words(op, words, self.said(words)))))
            if op.regions:
                yield self.with_regions(op, words[0][1:-1], indent)
            self.write(self.location(op))

    def has_form(self, op: MlirOperation) -> bool:
        """Whether the custom form says all of an operation. Printers of regions know."""
        return True

    def with_regions(self, op: MlirOperation, part: str, indent: str) -> Steps[None]:
        """A form that is all code and has regions. Printers of regions give it."""
        raise NotImplementedError

    def part(self, op: MlirOperation, name: str) -> str:
        """A part with code of its own; nothing for those with regions, which follow."""
        return _PARTS[name][0](self, op) if name in _PARTS else ""

    def _module(self, op: Operation, indent: str) -> Steps[None]:
        properties = _all_attributes(op)
        name = properties.pop("sym_name", None)
        head = f"{indent}module"
        head += f" @{spell_key(name)}" if isinstance(name, str) else ""
        self.lines.append(head + (f" attributes {spell(properties, self.aliases)}" if properties else ""))
        yield self.braced(op.regions[0], indent)
        self.write(self.location(op))

    def said(self, words: Sequence[str]) -> set[str]:
        """The attributes that the parts of a form say."""
        return {key for word in words if word[1:-1] in _PARTS for key in _PARTS[word[1:-1]][1]}

    # Text

    def write(self, text: str) -> None:
        """Go on with the last line."""
        self.lines[-1] += text

    def braced(self, region: Region, indent: str, *, named: bool = True, ends: bool = True) -> Steps[None]:
        """` { .. }`."""
        self.write(" {")
        yield self.region(region, indent, named=named, ends=ends)

    def values(self, values: Iterable[Value]) -> str:
        """Names with commas between them."""
        return ", ".join(map(self.names.of, values))

    def types_of(self, values: Iterable[Value | Type]) -> str:
        """Types with commas between them."""
        return ", ".join(self.type(v if isinstance(v, Type) else v.type) for v in values)

    def typed(self, values: Sequence[Value]) -> str:
        """`%a, .. : T, ..`."""
        return f"{self.values(values)} : {self.types_of(values)}"

    def arrow(self, values: Sequence[Value], *, parentheses: bool = False) -> str:
        """` -> T` or ` -> (T, ..)`; nothing where there are none."""
        if not values:
            return ""
        return (
            f" -> {self.types_of(values)}" if len(values) == 1 and not parentheses else f" -> ({self.types_of(values)})"
        )

    def expression(self, expression: AffineExpression, dimensions: Sequence[Value], symbols: Sequence[Value]) -> str:
        """An affine expression of values."""

        def name(match: re.Match[str]) -> str:
            values = dimensions if match[1] == "d" else symbols
            text = self.names.of(values[int(match[2])])
            return text if match[1] == "d" else f"symbol({text})"

        return _LETTER.sub(name, str(expression))

    def dictionary(self, op: MlirOperation, used: Iterable[str]) -> str:
        """` {name = value, ..}` of what the form does not say; nothing where that is nothing."""
        hidden = {_SEGMENTS, *used}
        shown = {
            name.removesuffix("_") if name in op.definition.attributes else name: value
            for name, value in op.attributes.items()
            if name not in hidden and not _is_default(name, value)
        }
        return f" {spell(dict(sorted(shown.items())), self.aliases)}" if shown else ""

    # Words

    def _words(self, op: MlirOperation, words: Sequence[str], said: set[str]) -> Iterator[str]:
        position = 0
        while position < len(words):
            word = words[position]
            position += 1
            if word == "[?":
                end = words.index("]?", position)
                if any(values_of(op, w[1:]) for w in words[position:end] if w[0] == "$"):
                    yield from self._words(op, words[position:end], said)
                position = end + 1
            elif word == "<attributes>":
                yield self.dictionary(op, said).strip()
            elif word[0] == "<":
                yield self.part(op, word[1:-1])
            elif word[0] == "$":
                yield self.values(values_of(op, word[1:]))
            elif word[0] == "@":
                yield self.types_of(values_of(op, word[1:]))
            else:
                yield word

    def fastmath(self, op: MlirOperation) -> str:
        """`upward fastmath<flags>`."""
        rounding = op.attributes.get("roundingmode")
        word = "" if rounding is None else ROUNDINGS[integer_of(rounding)]
        return f"{word} {self._flags(op, 'fastmath', 'fastmath')}".strip()

    def overflow(self, op: MlirOperation) -> str:
        """`overflow<flags>`."""
        return self._flags(op, "overflow", "overflowFlags")

    def _flags(self, op: MlirOperation, word: str, key: str) -> str:
        value = op.attributes.get(key)
        text = "" if value is None else spell(value).partition("<")[2]
        return f"{word}<{text}" if text not in ("", "none>") else ""

    def predicate(self, op: MlirOperation) -> str:
        """The relation of a comparison."""
        assert isinstance(op, arith.CmpI | arith.CmpF)
        return op.relation

    def callee(self, op: MlirOperation) -> str:
        """`@name`."""
        return spell(op.attributes["callee"], self.aliases)

    def symbol(self, op: MlirOperation) -> str:
        """`@name`, of a global."""
        return spell(op.attributes["name_"], self.aliases)

    def signature(self, op: MlirOperation) -> str:
        """`(T, ..) -> T`."""
        return f"({self.types_of(op.operands)}){self.arrow(op.results) or ' -> ()'}"

    def dim(self, op: MlirOperation) -> str:
        """The number of a loop."""
        return str(integer_of(op.attributes["dim"]))

    def matrix_operation(self, op: MlirOperation) -> str:
        """What is done with the elements; the tool puts a space in front."""
        assert isinstance(op, mma.Elementwise)
        return f" {op.does}"

    def symbols(self, op: MlirOperation) -> str:
        """`[%s, ..]`, of a layout."""
        found = values_of(op, "symbolOperands")
        return f"[{self.values(found)}]" if found else ""

    def destination(self, op: MlirOperation, number: int) -> str:
        """`^bb1(%a, .. : T, ..)`."""
        key = ("destOperands",) if len(op.successors) == 1 else ("trueDestOperands", "falseDestOperands")
        found = values_of(op, key[number])
        return self.labels[op.successors[number]] + (f"({self.typed(found)})" if found else "")

    def weights(self, op: MlirOperation) -> str:
        """`weights([1, 2])`."""
        value = op.attributes.get("branch_weights")
        return "" if value is None else f"weights({spell(value, self.aliases)})"


def values_of(op: MlirOperation, key: str) -> list[Value]:
    """The operands or results of a name."""
    found = cast("Value | list[Value] | None", getattr(op, key))
    return found if isinstance(found, list) else [] if found is None else [found]


def _all_attributes(op: Operation) -> dict[str, Attribute]:
    """Properties and other attributes of a module."""
    properties = op.properties if isinstance(op, OpaqueOperation) else {}
    return {**op.attributes, **(cast("dict[str, Attribute]", properties) if isinstance(properties, dict) else {})}


def _short_name(op: Operation) -> str:
    """The name; in functions those of functions lack their dialect."""
    inside = isinstance(op.parent_op, func.Func)
    return op.name.removeprefix("func.") if inside else op.name


def _is_default(name: str, value: Attribute) -> bool:
    """Whether an attribute says what holds without it."""
    return name == "nontemporal" and value in (False, IntegerAttribute(0, BOOL))


def _spaced(words: Iterable[str]) -> Iterator[str]:
    """Words with the spaces that the tool puts in front of them."""
    before = ""
    for word in words:
        if not word:
            continue
        opens = word[0] in "([" and before not in (":", "->", ",")
        closes = word in (",", ")", "]")
        yield word if opens or closes or before in ("(", "[") else f" {word}"
        before = word


_Part = Callable[[FormPrinter, MlirOperation], str]
_PARTS: Final[Mapping[str, tuple[_Part, tuple[str, ...]]]] = {
    "fastmath": (FormPrinter.fastmath, ("fastmath", "roundingmode")),
    "overflow": (FormPrinter.overflow, ("overflowFlags",)),
    "predicate": (FormPrinter.predicate, ("predicate",)),
    "callee": (FormPrinter.callee, ("callee",)),
    "signature": (FormPrinter.signature, ()),
    "dim": (FormPrinter.dim, ("dim",)),
    "name": (FormPrinter.symbol, ("name_",)),
    "symbols": (FormPrinter.symbols, ()),
    "weights": (FormPrinter.weights, ("branch_weights",)),
    "matrix_operation": (FormPrinter.matrix_operation, ("opType",)),
    "dest": (lambda printer, op: printer.destination(op, 0), ()),
    "trueDest": (lambda printer, op: printer.destination(op, 0), ()),
    "falseDest": (lambda printer, op: printer.destination(op, 1), ()),
}
"""How a part of a form is printed, and the attributes that it says."""
