"""The short form of an operation as data: the `assembly` of its declaration, taken apart once."""

from __future__ import annotations

import re
from functools import cache

from msgspec import Struct

from tilewright.dialects.cuda_tile.base import TileOperation


class Literal(Struct, frozen=True):
    """A word or punctuation."""

    text: str


class OperandPart(Struct, frozen=True):
    """`$x`: an operand, or the operands of a list."""

    name: str
    variadic: bool


class AttributePart(Struct, frozen=True):
    """`x`, `x?`, `x:word?`: an attribute; `word` spells a flag."""

    name: str
    kind: type[object]
    optional: bool
    word: str


class TypePart(Struct, frozen=True):
    """`@x`: the type of operands, of a result or of a variable. `names` are the operands that have it.

    A list has all its types (`@x*`), or one if they are equal (`@x+`).
    """

    name: str
    operands: tuple[str, ...]
    listed: bool
    shared: bool


class Group(Struct, frozen=True):
    """`( .. )?`: parts that are there iff the operand or attribute `key` is; `introduces` it, or follows it."""

    parts: tuple[Part, ...]
    key: str
    introduces: bool


class Flags(Struct, frozen=True):
    """`{a? b?}`: flags in any order."""

    parts: tuple[AttributePart, ...]


class Custom(Struct, frozen=True):
    """`!name`: a part with code of its own."""

    name: str


class Dictionary(Struct, frozen=True):
    """Where attributes stand that the form has no place for."""


Part = Literal | OperandPart | AttributePart | TypePart | Group | Flags | Custom | Dictionary

_TOKEN = re.compile(r"'[^']*'|\)\?|[$@!]\w+[*+]?|\w+(?::\w+)?\??|->|[^\s\w]")


@cache
def form_of(cls: type[TileOperation]) -> tuple[Part, ...]:
    """The parts of an operation's short form, in order."""
    parts = _Compiler(cls).parts()
    return parts if any(isinstance(p, Custom) and p.name in WHOLE for p in parts) else _with_dictionary(parts)


WHOLE = frozenset({"module", "entry", "global", "constant", "if", "for", "loop", "reduce", "scan", "print"}) | {
    "make_tensor_view"
}
"""Custom parts that are the whole of an operation's form."""


def _with_dictionary(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """In front of the colon, else of the arrow, else at the end; in both places if the colon may be missing."""
    for text in (":", "->"):
        if Literal(text) in parts:
            at = parts.index(Literal(text))
            return (*parts[:at], Dictionary(), *parts[at:])
    last = parts[-1] if parts else None
    if isinstance(last, Group) and Literal(":") in last.parts:
        at = last.parts.index(Literal(":"))
        inner = (*last.parts[:at], Dictionary(), *last.parts[at:])
        return (*parts[:-1], Dictionary(), Group(inner, last.key, last.introduces))
    return (*parts, Dictionary())


class _Compiler:
    """Takes one `assembly` apart."""

    def __init__(self, cls: type[TileOperation]) -> None:
        self.definition = cls.definition
        self.words: list[str] = _TOKEN.findall(cls.spec.assembly)
        self.at = 0

    def parts(self, *ends: str) -> tuple[Part, ...]:
        """Parts up to the end or one of `ends`, which is read too."""
        found: list[Part] = []
        while self.at < len(self.words):
            word = self.words[self.at]
            self.at += 1
            if word in ends:
                return tuple(found)
            found.append(self._part(word))
        assert not ends, f"the form of {self.definition.name} lacks {ends[0]}"
        return tuple(found)

    def _part(self, word: str) -> Part:
        match word[0]:
            case "(":
                inner = self.parts(")?")
                key, introduces = _key(inner)
                return Group(inner, key, introduces)
            case "{":
                return Flags(tuple(p for p in self.parts("}") if isinstance(p, AttributePart)))
            case "$":
                return OperandPart(word[1:], self.definition.operands[word[1:]].variadic)
            case "@":
                return self._type(word[1:])
            case "!":
                return Custom(word[1:])
            case "'":
                return Literal(word[1:-1])
            case _:
                return self._attribute(word) if word[0].isalpha() else Literal(word)

    def _attribute(self, word: str) -> AttributePart:
        name, _, spelled = word.rstrip("?").partition(":")
        return AttributePart(name, self.definition.attributes[name].kind, word.endswith("?"), spelled or name)

    def _type(self, word: str) -> TypePart:
        name = word.rstrip("*+")
        operands = self.definition.operands
        same = tuple(key for key, spec in operands.items() if spec.var == name)
        return TypePart(name, same or ((name,) if name in operands else ()), word != name, word.endswith("+"))


def _key(parts: tuple[Part, ...]) -> tuple[str, bool]:
    """The operand or attribute that a group depends on, and whether the group introduces it."""
    for part in parts:
        if isinstance(part, OperandPart | AttributePart):
            return part.name, True
        if isinstance(part, TypePart):
            return part.name, False
    raise AssertionError("a group has an operand, an attribute or a type")
