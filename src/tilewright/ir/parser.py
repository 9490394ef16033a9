"""Reads the IR's own text (see `printer`) back: for `opt`, reproducers and filecheck tests."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import NoReturn

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.ir.core import Attribute, Block, Operation, Region, Value
from tilewright.ir.type_parser import TypeSyntaxError, parse_type
from tilewright.ir.types import Type

_SKIPPED = re.compile(r"(?>(?:[ \t\r\n]++|//[^\n]*+)*)")
_TOKEN = re.compile(
    r"""(?:(?P<string>"(?:[^"\\\n]|\\.)*")
      |(?P<value>%[A-Za-z0-9_.]+)
      |(?P<label>\^[A-Za-z0-9_]+)
      |(?P<number>-?(?:\d+\.\d*(?:e[+-]?\d+)?|\d+e[+-]?\d+|\d+|inf\b))
      |(?P<arrow>->)
      |(?P<type>(?:memref|group|coopmatrix|tile|fragment|ptr)<)
      |(?P<word>[A-Za-z_][A-Za-z0-9_.]*)
      |(?P<punct>[{}()\[\],:=]))"""
    + _SKIPPED.pattern,
    re.VERBOSE,
)
_ANGLE = re.compile(r"[<>]")
_ESCAPE = re.compile(r"\\(?:u\{([0-9a-f]{1,6})\}|(.))")
_MAX_DEPTH = 200


class _Abort(Exception):
    """Parsing cannot go on; the report says why."""


class _Tokens:
    """Tokens as parallel lists; `kind` is the regex group, `end` for the end of the text."""

    def __init__(self, source: Source, report: Report) -> None:
        self.source = source
        self.report = report
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.at = 0
        text, token = source.text, _TOKEN.match
        add_kind, add_text, add_start = self.kinds.append, self.texts.append, self.starts.append
        position, length = self._skipped(0), len(text)
        while position < length:
            match = token(text, position)
            if match is None:
                self.report.error("IR010", SourceRange(source, position, position + 1), "this character fits nowhere")
                raise _Abort
            kind = match.lastgroup
            assert kind is not None
            add_kind(kind)
            add_start(position)
            if kind == "type":
                end = self._type_end(match.end(kind))
                add_text(text[position:end])
                position = self._skipped(end)
            else:
                add_text(match[kind])
                position = match.end()
        self.kinds.append("end")
        self.texts.append("")
        self.starts.append(len(text))

    def _skipped(self, position: int) -> int:
        """Offset behind the white space and comments that begin there."""
        found = _SKIPPED.match(self.source.text, position)
        assert found is not None
        return found.end()

    def _type_end(self, position: int) -> int:
        """Offset behind the bracket that closes the one before `position`."""
        depth, text = 1, self.source.text
        for found in _ANGLE.finditer(text, position):
            depth += 1 if found[0] == "<" else -1
            if not depth:
                return found.end()
        return len(text)

    @property
    def kind(self) -> str:
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        return self.texts[self.at]

    def range(self, index: int) -> SourceRange:
        start = self.starts[index]
        return SourceRange(self.source, start, start + max(1, len(self.texts[index])))

    def next(self) -> str:
        text = self.texts[self.at]
        self.at += self.kinds[self.at] != "end"
        return text

    def accept(self, text: str) -> bool:
        if self.texts[self.at] == text and self.kinds[self.at] != "string":
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"expected {text!r}")

    def expect_kind(self, kind: str, what: str) -> str:
        if self.kind != kind:
            self.fail(f"expected {what}")
        return self.next()

    def fail(self, message: str, code: str = "IR010") -> NoReturn:
        found = "the end of the text" if self.kind == "end" else repr(self.text)
        self.report.error(code, self.range(self.at), f"{message}, found {found}")
        raise _Abort


class _Parser:
    def __init__(self, tokens: _Tokens, classes: Mapping[str, type[Operation]]) -> None:
        self.t = tokens
        self.values: dict[str, Value] = {}
        self.classes = classes
        self.depth = 0

    def operation(self, labels: dict[str, Block]) -> Operation:
        t = self.t
        start = t.at
        names = self.result_names()
        name = t.expect_kind("word", "an operation")
        cls = self.classes.get(name)
        if cls is None:
            t.at -= 1
            t.fail("unknown operation")
        places = {}
        operands: list[Value] = []
        while t.kind == "value" and (operands or not self.at_results()):
            places[("operand", len(operands))] = t.range(t.at)
            operands.append(self.use())
            if not t.accept(","):
                break
        successors = self.successors(labels)
        attributes = self.attribute_dict() if self.at_dictionary() else {}
        types = self.result_types()
        if len(types) != len(names):
            t.fail(f"{name} has {len(types)} result types for {len(names)} results")
        op = cls.of_parts(operands, types, self.typed(cls, attributes), successors)
        for result, (text, place) in zip(op.results, names, strict=True):
            self.define(text, result)
            places[("result", result.index)] = place
        op.places = places
        while t.text in ("{", "("):
            op.add_region(self.region())
        op.location = t.range(start).to(t.range(t.at - 1))
        return op

    def result_names(self) -> list[tuple[str, SourceRange]]:
        t = self.t
        names: list[tuple[str, SourceRange]] = []
        while t.kind == "value":
            names.append((t.text, t.range(t.at)))
            t.next()
            if not t.accept(","):
                break
        if names:
            t.expect("=")
        return names

    def at_results(self) -> bool:
        """Whether the values ahead are results of the next operation, behind one without operands."""
        t, ahead = self.t, self.t.at
        while t.kinds[ahead] == "value" and t.texts[ahead + 1] == ",":
            ahead += 2
        return t.kinds[ahead] == "value" and t.texts[ahead + 1] == "="

    def at_dictionary(self) -> bool:
        """Whether the brace ahead opens attributes (`name =`) rather than a region."""
        t = self.t
        if t.text != "{" or t.kind == "string":
            return False
        ahead = t.at + 1
        return t.kinds[ahead] in ("word", "string") and t.texts[ahead + 1] == "="

    def successors(self, labels: dict[str, Block]) -> list[Block]:
        t = self.t
        found: list[Block] = []
        if t.accept("["):
            while True:
                found.append(labels.setdefault(t.expect_kind("label", "a block label"), Block()))
                if not t.accept(","):
                    break
            t.expect("]")
        return found

    def result_types(self) -> list[Type]:
        t = self.t
        types: list[Type] = []
        if t.accept("->"):
            types.append(self.type())
            while t.accept(","):
                types.append(self.type())
        return types

    def type(self) -> Type:
        t = self.t
        if t.kind not in ("type", "word"):
            t.fail("expected a type")
        try:
            found = parse_type(t.text)
        except TypeSyntaxError as error:
            t.fail(str(error))
        t.next()
        return found

    def region(self) -> Region:
        t = self.t
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            t.fail(f"regions are nested more than {_MAX_DEPTH} deep", "L003")
        region, labels = Region(), dict[str, Block]()
        block = region.add_block(Block())
        self.arguments(block)
        t.expect("{")
        while not t.accept("}"):
            if t.kind == "label":
                block = region.add_block(labels.setdefault(t.next(), Block()))
                self.arguments(block)
                t.expect(":")
            else:
                block.append(self.operation(labels))
        self.depth -= 1
        if any(b.region is not region for b in labels.values()):
            t.fail("a successor names a block that does not exist in this region")
        return region

    def arguments(self, block: Block) -> None:
        t = self.t
        if not t.accept("("):
            return
        while t.kind == "value":
            place, name = t.range(t.at), t.next()
            t.expect(":")
            self.define(name, block.add_argument(self.type(), location=place))
            if not t.accept(","):
                break
        t.expect(")")

    def define(self, name: str, value: Value) -> None:
        value.name = name[1:]
        self.values[name] = value

    def use(self) -> Value:
        found = self.values.get(self.t.text)
        if found is None:
            self.t.fail("this value is not defined before its use", "IR005")
        self.t.next()
        return found

    def attribute_dict(self) -> dict[str, Attribute]:
        t = self.t
        t.expect("{")
        found: dict[str, Attribute] = {}
        while t.kind in ("word", "string"):
            key = unquote(t.next()) if t.kind == "string" else t.next()
            t.expect("=")
            found[key] = self.attribute()
            if not t.accept(","):
                break
        t.expect("}")
        return found

    def attribute(self) -> Attribute:
        t = self.t
        if t.kind == "string":
            return unquote(t.next())
        if t.kind == "number":
            return number(t.next())
        if t.kind == "type":
            return self.type()
        if t.accept("("):
            real = float(t.next())
            t.expect(",")
            imaginary = float(t.next())
            t.expect(")")
            return complex(real, imaginary)
        if t.text == "[":
            return self.attribute_list()
        if t.text == "{":
            return self.attribute_dict()
        words: dict[str, Attribute] = {"true": True, "false": False, "none": None, "nan": float("nan")}
        if t.text in words:
            return words[t.next()]
        return self.type()

    def attribute_list(self) -> Attribute:
        t = self.t
        t.expect("[")
        items: list[Attribute] = []
        while t.text != "]":
            items.append(self.attribute())
            if not t.accept(","):
                break
        t.expect("]")
        return tuple(items)

    def typed(self, cls: type[Operation], attributes: dict[str, Attribute]) -> dict[str, Attribute]:
        """Strings of declared enumerations become their members."""
        for key, spec in cls.definition.attributes.items():
            value = attributes.get(key)
            if isinstance(value, str) and issubclass(spec.kind, Enum):
                try:
                    attributes[key] = spec.kind(value)
                except ValueError:
                    self.t.fail(f"{value!r} is no value of attribute {key}")
        return attributes


def unquote(text: str) -> str:
    """The string behind its quoted spelling."""
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text[1:-1])


def number(text: str) -> int | float:
    """An integer, or a float if it has a point, an exponent or is infinite."""
    return float(text) if any(c in text for c in ".en") else int(text)


def parse_ir(source: Source, report: Report, operations: Mapping[str, type[Operation]]) -> Operation | None:
    """The operation (usually a module) that `source` spells, or None with an error in `report`.

    `operations` are those that it may name: `dialects.operation_classes()`, as a rule.
    """
    try:
        tokens = _Tokens(source, report)
        op = _Parser(tokens, operations).operation({})
        if tokens.kind != "end":
            tokens.fail("expected the end of the text")
    except _Abort:
        return None
    return op
