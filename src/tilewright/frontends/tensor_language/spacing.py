"""Where the formatter puts a blank between two tokens of a line."""

from __future__ import annotations

from typing import Final

from msgspec import Struct, field

from tilewright.frontends.tensor_language.lexer import is_number

_LOOPS: Final = frozenset({"for", "foreach", "foreach_tile"})
_SPACED_LISTS: Final = frozenset({"func", "yield", "!calc"})


class Opener(Struct, frozen=True):
    """An open bracket: its text, the word it belongs to, and the column behind it."""

    text: str
    owner: str
    column: int


class Context(Struct):
    """What the line holds so far: the instruction's mnemonic, open brackets, the token before."""

    mnemonic: str = ""
    openers: list[Opener] = field(default_factory=list[Opener])
    previous: str = ""
    in_results: bool = False

    def begin(self, text: str) -> None:
        """Start an instruction with its first token."""
        self.mnemonic = text
        self.previous = ""
        self.in_results = text[0] in "%$"

    def owner(self) -> str:
        """The word that a bracket opened now belongs to."""
        return self.mnemonic if self.previous[:1] == "@" or self.previous == "yield" else self.previous


def space_between(context: Context, text: str, dictionary: bool) -> bool:
    """Whether a blank stands between the previous token and `text`; keeps the context's mnemonic up to date."""
    previous = context.previous
    inside = context.openers[-1].text if context.openers else ""
    if context.in_results and not inside:
        if previous == "=":
            context.in_results = False
            context.mnemonic = text
            return True
        return text != ","
    if text == "{":
        if dictionary and previous == ",":
            return inside == "{"
        return not dictionary or previous not in ("attributes", "(", "[", "{", "=")
    if previous in ("(", "[", "<", "{", "!") or text in (")", "]", ">", "}", ",", "<"):
        return False
    if text[0] == "." and not is_number(text):
        return False
    return _around_punctuation(context, text, inside)


def _around_punctuation(context: Context, text: str, inside: str) -> bool:
    previous = context.previous
    if previous == ",":
        return _behind_comma(context, text, inside)
    if "x" in (text, previous):
        return _around_x(context, text, inside)
    if "=" in (text, previous) or "<=" in (text, previous):
        return False
    if ":" in (text, previous):
        if inside == "[":
            return False
        return text != ":" or not inside
    if "->" in (text, previous):
        return inside != "["
    if text == "(":
        return previous[0] not in "@!" and previous != "init" and context.previous != ","
    if text == "[":
        return previous[0] not in "%$"
    return True


def _behind_comma(context: Context, text: str, inside: str) -> bool:
    if not inside:
        return context.mnemonic not in _LOOPS
    if inside == "(":
        return context.openers[-1].owner in _SPACED_LISTS
    return inside == "{" or text == "offset"


def _around_x(context: Context, text: str, inside: str) -> bool:
    """Shapes are glued but for names, which would swallow the `x`, and the factors of an expand."""
    if inside == "[":
        return True
    if text == "x":
        return context.previous[0] in "$%"
    return text[0] in "$%"
