"""What single words of a text say about its language.

Old: `arith.add`, `alloca ->`, `group_size`, `i1`, `work_group_size(..)`, types of operands behind a colon, `?` and `:`
in views, a group without size. New: `constant`, `bool`, `attributes`, `{name=..}`, `group_id.x`, lists of foreach, and
every instruction that the old language lacked. Comments are no tokens, and names begin with a sigil: neither says
anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Final

from tilewright.diagnostics import SourceRange
from tilewright.frontends.tensor_language.lexer import END, Tokens, is_number
from tilewright.frontends.tensor_language.parser import INSTRUCTIONS


class Standard(Enum):
    """The tensor language before and after its redesign."""

    OLD = "old"
    NEW = "new"


_SHARED: Final = frozenset(
    {
        *("alloca", "arith", "axpby", "barrier", "cast", "cmp", "expand", "for", "foreach", "fuse", "gemm", "gemv"),
        *(
            "ger",
            "group_id",
            "hadamard",
            "if",
            "lifetime_stop",
            "load",
            "size",
            "store",
            "subgroup_size",
            "subview",
            "sum",
            "yield",
        ),
    }
)
"""Mnemonics of both languages."""
_OLD_WORDS: Final = frozenset({"group_size", "i1", "hadamard_product"})
_NEW_WORDS: Final = frozenset(
    {
        *("attributes", "bool", "coopmatrix", "global", "init", "local", "bf16", "f16", "c32", "c64"),
        *("alignment", "shape_gcd", "stride_gcd", "unroll"),
        *(INSTRUCTIONS.keys() - _SHARED - _OLD_WORDS),
    }
)
_COLLECTIVES: Final = frozenset({"axpby", "gemm", "gemv", "ger", "hadamard", "sum"})
_VIEWS: Final = frozenset({"expand", "subview"})
_TYPED: Final = frozenset({"cast", "load", "size", "store", "cmp", "fuse"})
SPAN: Final = 512
"""Tokens that one instruction is followed for."""
_WORDS: Final = (
    _OLD_WORDS
    | _NEW_WORDS
    | _COLLECTIVES
    | _VIEWS
    | _TYPED
    | {"arith", "alloca", "group_id", "work_group_size", "subgroup_size", "yield", "foreach", "group", "if", "for"}
    | {".x", ".y", ".z", "{"}
)
"""Tokens that may say something; so do `$names`."""


def first_word(tokens: Tokens, standard: Standard) -> SourceRange | None:
    """Where a text first says that it is in a language."""
    return next((tokens.range(i) for i, found in judgements(tokens.texts) if found is standard), None)


def judgements(texts: Sequence[str]) -> Iterator[tuple[int, Standard]]:
    """The tokens that belong to one of the languages, and to which."""
    for index, text in enumerate(texts):
        if text in _WORDS or text[0] == "$":
            found = standard_at(texts, index)
            if found is not None:
                yield index, found


def standard_at(texts: Sequence[str], i: int) -> Standard | None:
    """What the word at a token says, if anything."""
    text = texts[i]
    first = text[0]
    if first == "$":
        return Standard.NEW
    if first == "." and text in (".x", ".y", ".z"):
        return Standard.NEW
    if first == "{":
        return Standard.NEW if texts[i + 1][0] != "%" and "=" in texts[i + 2 : i + 3] else None
    if not first.isalpha():
        return None
    if text in _NEW_WORDS:
        return Standard.NEW
    if text in _OLD_WORDS:
        return Standard.OLD
    following = texts[i + 1]
    match text:
        case "arith":
            return Standard.OLD if following[0] == "." else None
        case "alloca":
            return Standard.OLD if following == "->" else Standard.NEW if following == ":" else None
        case "group_id":
            return None if following[0] == "." else Standard.NEW if following == ":" else Standard.OLD
        case "work_group_size" | "subgroup_size":
            return Standard.OLD if following == "(" else Standard.NEW
        case "yield":
            return Standard.NEW if following == "(" else Standard.OLD
        case "foreach":
            return Standard.NEW if following == "(" else Standard.OLD if following[0] == "%" else None
        case "group":
            return _group(texts, i)
        case "if" | "for":
            return _control(texts, i)
        case _:
            return _instruction(texts, i, text)


def _is_literal(text: str) -> bool:
    """Whether a token is an immediate operand of the old language."""
    return is_number(text) or text in ("true", "false")


def _group(texts: Sequence[str], i: int) -> Standard | None:
    """A group type: new ones have a size."""
    depth = 0
    for j in range(i + 1, min(i + SPAN, len(texts))):
        if texts[j] == "<":
            depth += 1
        elif texts[j] == ">":
            depth -= 1
            if depth == 1:
                return Standard.NEW if texts[j + 1] == "x" else Standard.OLD
            if not depth:
                return None
    return None


def _control(texts: Sequence[str], i: int) -> Standard | None:
    """Literals as conditions and bounds are old."""
    if texts[i] == "if":
        return Standard.OLD if _is_literal(texts[i + 1]) else None
    for j in range(i + 1, min(i + 8, len(texts))):
        if texts[j] in ("{", END):
            break
        if texts[j - 1] in ("=", ",") and _is_literal(texts[j]):
            return Standard.OLD
        if texts[j] == ":":
            return Standard.OLD
    return None


def _instruction(texts: Sequence[str], i: int, text: str) -> Standard | None:
    if text in _COLLECTIVES:
        return _collective(texts, i)
    if text in _VIEWS:
        return _view(texts, i)
    if text in _TYPED:
        return _typed(texts, i, text)
    return None


def _collective(texts: Sequence[str], i: int) -> Standard | None:
    """Types of operands are old; operands without types and literals are new."""
    j = i + 1
    while texts[j][0] == "." and not is_number(texts[j]):
        j += 1
    literals = False
    while texts[j][0] == "%" or _is_literal(texts[j]):
        literals = literals or texts[j][0] != "%"
        j += 1
        if texts[j] != ",":
            break
        j += 1
    if texts[j] == ":":
        return Standard.OLD
    return None if literals else Standard.NEW


def _view(texts: Sequence[str], i: int) -> Standard | None:
    """`?`, and `:` on its own, are old."""
    for j in range(i + 1, min(i + SPAN, len(texts))):
        if texts[j] == "]" or texts[j] is END:
            return None
        if texts[j] == "?" or (texts[j] == ":" and texts[j - 1] in ("[", ",")):
            return Standard.OLD
    return None


def _typed(texts: Sequence[str], i: int, text: str) -> Standard | None:
    """What the type behind the colon says."""
    limit = min(i + SPAN, len(texts) - 1)
    depth, j = 0, i + 1
    while j < limit and not (texts[j] == ":" and not depth):
        if texts[j] == "=" or texts[j] in ("{", "}"):
            break
        depth += (texts[j] == "[") - (texts[j] == "]")
        j += 1
    typed = texts[j] == ":"
    if text == "store":
        return Standard.OLD if typed else Standard.NEW
    if not typed:
        return None
    type_ = texts[j + 1]
    if text == "cast":
        return Standard.OLD if "->" in texts[j + 2 : j + 3] else None
    if text == "load":
        return Standard.OLD if type_ == "group" else None if type_ == "memref" else Standard.NEW
    if text == "size":
        return Standard.OLD if type_ == "memref" else Standard.NEW if type_ == "index" else None
    return Standard.OLD if text == "cmp" and type_ not in ("bool", END) else None
