"""Reading numbers and constants, each of which a `$name` may stand for."""

from __future__ import annotations

import math
from typing import Final, NoReturn

from tilewright.diagnostics import Report
from tilewright.diagnostics.nearest import nearest
from tilewright.frontends.tensor_language.cursor import Cursor, SyntaxFailure
from tilewright.frontends.tensor_language.lexer import END, Tokens, is_integer, is_number, is_word
from tilewright.frontends.tensor_language.limits import Limits
from tilewright.frontends.tensor_language.preprocess import INT64_MAX, INT64_MIN, Definition, Definitions, Kind
from tilewright.frontends.tensor_language.scopes import with_blank

_CONSTANTS: Final = {"inf": "inf", "infinity": "inf", "nan": "nan", "true": "true", "false": "false"}
"""Words for constants, in small letters, and how the language spells them."""


class LiteralReader(Cursor):
    """Reads literals and uses of definitions."""

    def __init__(self, tokens: Tokens, report: Report, limits: Limits) -> None:
        super().__init__(tokens, report, limits)
        self.definitions = Definitions()

    def definition(self) -> Definition:
        """The definition that the next token names."""
        index = self.i
        name = self.texts[index]
        found = self.definitions.visible.get(name)
        if found is None:
            finding = self.error("V8", self.range(index), f"`{name}` is not defined")
            blank = with_blank(name, self.definitions.visible)
            if blank is not None:
                finding.hint(f"a name takes the `x` behind it along: write `{blank}`")
                finding.fix(self.range(index), blank, "put a blank there")
            else:
                finding.suggest(self.range(index), nearest(name, self.definitions.visible), "`")
            # From here on the name is known to be broken, so that it is reported once.
            self.definitions.add(Definition(name, Kind.UNKNOWN, None, self.range(index), used=True))
            raise SyntaxFailure
        found.used = True
        if found.kind is Kind.UNKNOWN:
            raise SyntaxFailure
        self.i = index + 1
        return found

    def wrong_kind(self, found: Definition, index: int, expected: str) -> SyntaxFailure:
        """Report that the definition used at token `index` is no `expected`; raise the result."""
        kind = f"the type {found.value}" if found.kind is Kind.TYPE else found.kind.value
        message = f"expected {expected}, but `{found.name}` is {kind}"
        self.error("V8", self.range(index), message).label(found.location, "defined here")
        return SyntaxFailure()

    def integer(self, what: str = "an integer") -> int:
        """An integer literal or definition."""
        index = self.i
        text = self.texts[index]
        if is_integer(text):
            self.i = index + 1
            return self.to_int(index)
        if text[0] == "$":
            found = self.definition()
            if isinstance(found.value, int) and found.kind is Kind.INT:
                return found.value
            raise self.wrong_kind(found, index, what)
        return self.fail(what)

    def to_int(self, index: int) -> int:
        """Value of the integer literal at a token; 1, which fits everywhere, for one that is too large."""
        text = self.texts[index]
        if len(text) < 19:
            return int(text)
        # Longer ones than the limit were reported by the lexer.
        value = int(text) if len(text) <= self.limits.literal + 1 else 1
        if not INT64_MIN <= value <= INT64_MAX:
            self.error("V4", self.range(index), f"`{text}` does not fit in a signed 64-bit integer").hint(
                f"integers lie between {INT64_MIN} and {INT64_MAX}"
            )
            return 1
        return value

    def to_float(self, index: int) -> float:
        """Value of the float literal at a token."""
        text = self.texts[index]
        if len(text) > 2 * self.limits.literal:
            return 0.0
        hexadecimal = "x" in text or "X" in text
        try:
            value = float.fromhex(text) if hexadecimal else float(text)
        except OverflowError:
            value = math.inf
        if math.isinf(value) and "inf" not in text:
            self.error("V4", self.range(index), f"`{text}` is beyond the range of double precision").hint(
                "write inf for infinity"
            )
        elif value == 0 and any(c in "123456789abcdfABCDF" for c in _mantissa(text, hexadecimal)):
            self.report.warning("V19", self.range(index), f"`{text}` is too small for double precision and becomes 0")
        return value

    def floating(self) -> float:
        """One part of a complex constant."""
        index = self.i
        text = self.texts[index]
        if self.at_number():
            self._glued(index)
            self.i = index + 1
            if not is_integer(text):
                return self.to_float(index)
            finding = self.error("V19", self.range(index), f"`{text}` is an integer, but a float is needed here")
            finding.fix(self.range(index), text + ".0", f"write {text}.0")
            return float(self.to_int(index))
        if text[0] == "$":
            found = self.definition()
            if isinstance(found.value, float):
                return found.value
            raise self.wrong_kind(found, index, "a float")
        return self.fail("a float")

    def complex_tail(self) -> complex:
        """The rest of a complex constant behind its `[`."""
        real = self.floating()
        self.expect(",")
        imaginary = self.floating()
        self.expect("]")
        return complex(real, imaginary)

    def constant(self) -> bool | int | float | complex:
        """A bool, integer, float or complex constant."""
        index = self.i
        text = self.texts[index]
        if self.at_number():
            self._glued(index)
            self.i = index + 1
            return self.to_int(index) if is_integer(text) else self.to_float(index)
        if text == "true" or text == "false":
            self.i = index + 1
            return text == "true"
        if text == "[":
            self.i = index + 1
            return self.complex_tail()
        if text[0] == "$":
            found = self.definition()
            if isinstance(found.value, bool | int | float | complex):
                return found.value
            raise self.wrong_kind(found, index, "a constant")
        return self._no_constant()

    def _no_constant(self) -> NoReturn:
        text = self.texts[self.i]
        if text in ("+", "-"):
            self.fail("a constant", "a sign stands right in front of a digit, a point, inf or nan")
        word = _CONSTANTS.get(text.lower())
        self.fail("a constant", None if word is None else f"did you mean `{word}`?")

    def _glued(self, first: int) -> None:
        """Refuse a number that goes on in letters, as those of other languages do."""
        texts, starts = self.texts, self.starts
        last = first
        while texts[last + 1] is not END and starts[last + 1] == starts[last] + len(texts[last]):
            if not (is_word(texts[last + 1]) or is_number(texts[last + 1])):
                break
            last += 1
        if last > first:
            where = self.range(first, last)
            finding = self.error("V1", where, f"`{self.source.text[where.start : where.end]}` is not a number")
            finding.hint(
                "integers are decimal, as 16; floats are written 16.0, 1.6e1 or 0x1p4; the type stands behind `:`"
            )
            raise SyntaxFailure


def _mantissa(text: str, hexadecimal: bool) -> str:
    lowered = text.lower()
    return lowered.split("x", 1)[1].split("p")[0] if hexadecimal else lowered.split("e")[0]
