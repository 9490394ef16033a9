"""Reads values behind their types: names and constants."""

from __future__ import annotations

import re
import struct
from fractions import Fraction
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.llvm.codes import Codes
from tilewright.frontends.tlx.llvm.float_patterns import pattern_of_exact, text_of_pattern
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tlx.llvm.syntax import (
    Characters,
    Elements,
    Expression,
    Float,
    Global,
    Integer,
    Integers,
    Literal,
    Local,
    Operand,
    Splat,
    Word,
)
from tilewright.frontends.tlx.llvm.tokens import is_natural, unescape, words
from tilewright.frontends.tlx.llvm.type_text import TypeReader
from tilewright.frontends.tlx.llvm.types import (
    I1,
    METADATA,
    VOID,
    ArrayType,
    FloatType,
    IntegerType,
    NamedType,
    PointerType,
    StructType,
    Type,
    VectorType,
)
from tilewright.ir.mlir.float_text import LAYOUTS, pattern_of

_WORDS: Final = {word: Word(word) for word in ("zeroinitializer", "undef", "poison", "null", "none")}
_CASTS: Final = words(
    "bitcast inttoptr ptrtoint trunc zext sext addrspacecast fptrunc fpext uitofp sitofp fptoui fptosi"
)
_ARITHMETIC: Final = words("add sub mul shl lshr ashr and or xor")
CONSTANT_WORDS: Final = frozenset(
    {*_WORDS, *_CASTS, *_ARITHMETIC, "true", "false", "splat", "getelementptr", "c", "asm", "blockaddress"}
)
"""Words that a value begins with; any other word in front of one is an attribute."""
_HEX: Final = re.compile(r"0x([KLMHR]?)([0-9A-Fa-f]+)")
_SIGNED_HEX: Final = re.compile(r"([us])0x([0-9A-Fa-f]+)")
_INTEGER: Final = re.compile(r"-?[0-9]+")
_DECIMAL: Final = re.compile(r"([-+]?)([0-9]+)\.([0-9]*)(?:[eE]([-+]?[0-9]+))?")
_FORMAT_DIGITS: Final = {"": ("f64", 16), "H": ("f16", 4), "R": ("bf16", 4)}
_FLAGS: Final = frozenset({"nuw", "nsw", "exact", "inbounds", "nusw"})
_EXPONENT: Final = 5000
_NARROW: Final = 32
_SHORT: Final = 10
"""Fewer digits than that fit integers that are not narrow."""
_DIGITS: Final = re.compile(r" ([0-9]+)")


class ConstantReader(TypeReader):
    """Reads operands."""

    def __init__(self, source: Source, report: Report, codes: Codes, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, codes, limits)
        self._short_lists: dict[str, tuple[VectorType, Integers]] = {}

    def operand(self, what: str = "the type of an operand") -> Operand:
        """A type and a value of it."""
        start = self.start
        type_ = self.value_type(what)
        return self.value(type_, start)

    def plain_operand(self) -> Operand | None:
        """A type and a value if each is one token, as of nearly all arguments. The place is the value's."""
        index = self.index
        type_, text = self._words.get(self.texts[index]), self.texts[index + 1]
        if type_ is None or type_ is VOID or type_ is METADATA or self.depth + 1 >= self.limits.nesting:
            return None
        if text[:1] == "%" and text[1:2] != '"' and 1 < len(text) <= self.limits.name:
            value: Literal = Local(text[1:])
        else:
            known = self._short_lists.get(text)
            if known is None or known[0] != type_:
                return None
            value = known[1]
        self.index = index + 2
        start = self.starts[index + 1]
        return Operand(start, start + len(text), type_, value)

    def value(self, type_: Type, start: int | None = None) -> Operand:
        """A value of a type that was read. The place is that of the value, or begins where the type did."""
        index = self.index
        start = self.starts[index] if start is None else start
        text = self.texts[index]
        if text[:1] == "%" and text[1:2] != '"' and 1 < len(text) <= self.limits.name and type_ is not METADATA:
            self.index = index + 1
            return Operand(start, self.starts[index] + len(text), type_, Local(text[1:]))
        known = self._short_lists.get(text)
        if known is not None and known[0] == type_ and self.depth < self.limits.nesting:
            self.index = index + 1
            return Operand(start, self.starts[index] + len(text), type_, known[1])
        literal = self._literal(type_)
        return Operand(start, self.end, type_, literal)

    def _literal(self, type_: Type) -> Literal:
        if type_ is METADATA:
            return self._metadata()
        found = self.texts[self.index]
        match found[:1]:
            case "%" if len(found) > 1:
                return Local(self.name("%", "a value"))
            case "@" if len(found) > 1:
                return Global(self.name("@", "a value"))
            case _:
                pass
        if found in _WORDS:
            return self._word(type_)
        self.enter("constants")
        try:
            return self._constant(found, type_)
        finally:
            self.depth -= 1

    def _metadata(self) -> Word:
        """Metadata as a value is passed over."""
        while self.token not in {"", ",", ")", "]"}:
            if self.token in {"(", "{", "["}:
                self.skip_balanced()
            else:
                self.take()
        return Word("none")

    def _word(self, type_: Type) -> Word:
        found = self.token
        if found == "null" and not isinstance(type_, PointerType):
            self.fail(f"null is a pointer, not {type_}", self.codes.malformed, self.here())
        self.index += 1
        return _WORDS[found]

    def _constant(self, found: str, type_: Type) -> Literal:
        match found:
            case "true" | "false":
                if type_ != I1:
                    self.fail(f"{found} is an i1, not {type_}", self.codes.malformed, self.here())
                self.index += 1
                return Integer(found == "true")
            case "<" | "[" | "{":
                return self._elements(type_)
            case _ if found[0:1] == "<":
                return self._short_list(found, type_)
            case "splat":
                return self._splat(type_)
            case "c":
                self.index += 1
                return Characters(unescape(self.string("characters")))
            case "getelementptr":
                return self._address()
            case "asm":
                return self.fail("inline assembly is not supported", self.codes.unsupported, self.here())
            case _:
                if found in _CASTS:
                    return self._cast()
                if found in _ARITHMETIC:
                    return self._arithmetic()
                return self._number(found, type_)

    # Numbers

    def _number(self, found: str, type_: Type) -> Literal:
        if isinstance(type_, IntegerType):
            return Integer(self._integer_of(found, type_))
        if isinstance(type_, FloatType):
            return Float(self._float_of(found, type_))
        if isinstance(type_, NamedType):
            place = self.range_of(self.starts[self.index - 1], self.end)
            self.fail(f"{type_} is read as a type: write that of a value in front of it", self.codes.malformed, place)
        return self.fail(f"expected a value of type {type_}", self.codes.malformed)

    def _integer_of(self, found: str, type_: IntegerType) -> int:
        start = self.start
        signed = None if is_natural(found) else _SIGNED_HEX.fullmatch(found)
        if signed is not None:
            self.take()
            self.number_of(str(len(signed[2])), start)
            value = int(signed[2][: self.limits.digits + 1], 16)
            if signed[1] == "s" and value >> (type_.bits - 1) & 1:
                value -= 1 << type_.bits
        elif _INTEGER.fullmatch(found) is not None:
            value = self.number_of(self.take(), start)
        else:
            self.fail(f"expected an integer of type {type_}", self.codes.malformed)
        if not -(1 << type_.bits - 1) <= value < 1 << type_.bits:
            self.fail(f"{found} does not fit {type_}", self.codes.malformed, self.range_of(start, self.end))
        return value

    def _float_of(self, found: str, type_: FloatType) -> int:
        layout = LAYOUTS[type_.layout]
        hexadecimal = _HEX.fullmatch(found)
        if hexadecimal is not None:
            return self._pattern(hexadecimal[1], hexadecimal[2], type_)
        decimal = _DECIMAL.fullmatch(found)
        if decimal is None:
            self.fail(f"expected a float of type {type_}, such as 1.0", self.codes.malformed)
        start = self.start
        exponent = int(decimal[4] or 0) if len(decimal[4] or "") < 8 else _EXPONENT + 1
        digits = decimal[2] + decimal[3]
        if abs(exponent) > _EXPONENT or len(digits) > self.limits.digits:
            self.over("a number", len(found), self.limits.digits, "digits", self.here(), give_up=False)
        self.take()
        double = int.from_bytes(struct.pack("<d", float(found)), "little")
        return double if type_.layout == "f64" else self._narrowed(double, type_, start, layout.width)

    def _pattern(self, kind: str, digits: str, type_: FloatType) -> int:
        start = self.start
        form = _FORMAT_DIGITS.get(kind)
        if form is None:
            self.fail(f"0x{kind} is a format that is not supported", self.codes.malformed, self.here())
        layout, most = form
        if len(digits) > most or (kind and layout != type_.layout):
            self.fail(f"{self.token} is no {type_}", self.codes.malformed, self.here())
        self.take()
        bits = int(digits, 16)
        if layout == type_.layout:
            return bits
        return self._narrowed(bits, type_, start, LAYOUTS[type_.layout].width)

    def _narrowed(self, double: int, type_: FloatType, start: int, width: int) -> int:
        """The pattern of a double in a narrower format, which must have the number."""
        sign, field, mantissa = double >> 63, double >> 52 & 0x7FF, double & ((1 << 52) - 1)
        layout = LAYOUTS[type_.layout]
        dropped = 52 - layout.mantissa
        place = self.range_of(start, self.end)
        if width > 64:
            self.fail(f"constants of type {type_} are not supported", self.codes.malformed, place)
        if field == 0x7FF:
            kept = mantissa >> dropped or (1 << layout.mantissa - 1 if mantissa else 0)
            return sign << width - 1 | ((1 << layout.exponent) - 1) << layout.mantissa | kept
        (number,) = struct.unpack("<d", struct.pack("<Q", double))
        exact = pattern_of_exact(number, type_)
        if exact is not None:
            return exact
        bits = pattern_of(bool(sign), abs(Fraction(number)), layout)
        near = text_of_pattern(bits, type_)
        self.error(self.codes.malformed, place, f"this number is no {type_} exactly").hint(
            f"the nearest one is written {near}" if near else f"it is too large for a {type_}"
        )
        return bits

    # Aggregates and expressions

    def _short_list(self, found: str, type_: Type) -> Integers | Elements:
        """What one token lists."""
        values = Integers(tuple(map(int, _DIGITS.findall(found))))
        if (
            not isinstance(type_, VectorType)
            or not found.startswith(f"<{type_.element} ")
            or type_.count != len(values.values)
            or self.limits.digits < _SHORT
        ):
            self.split_vector()
            return self._elements(type_)
        self._short_lists[found] = type_, values
        self.index += 1
        return values

    def _elements(self, type_: Type) -> Elements:
        start = self.start
        closing = {"<": ">", "[": "]", "{": "}"}[self.take()]
        packed = closing == ">" and isinstance(type_, StructType) and self.accept("{")
        wanted = _item_types(type_)
        items = self._integers(wanted) if isinstance(wanted, IntegerType) else list[Operand]()
        word = str(wanted) if isinstance(wanted, IntegerType | FloatType) else None
        while not self.accept("}" if packed else closing):
            if items:
                self.expect(",")
            if word is not None and self.texts[self.index] == word and self.texts[self.index + 1] != "*":
                assert isinstance(wanted, Type)
                items.append(self._typed(wanted))
                continue
            item = self.operand(f"a type before {self.token!r} in this constant")
            if not isinstance(wanted, tuple) and wanted is not None and item.type != wanted:
                place = self.range_of(item.start, item.end)
                self.fail(f"the elements of {type_} are {wanted}, not {item.type}", self.codes.malformed, place)
            items.append(item)
        if packed:
            self.expect(">")
        place = self.range_of(start, self.end)
        count = type_.count if isinstance(type_, VectorType | ArrayType) else _field_count(type_)
        if wanted is None or (closing == ">") != (isinstance(type_, VectorType) or packed):
            self.fail(f"this is no constant of type {type_}", self.codes.malformed, place)
        if count != len(items):
            self.fail(f"{type_} has {count} elements, not {len(items)}", self.codes.malformed, place)
        return Elements(tuple(items))

    def _typed(self, type_: Type) -> Operand:
        """An element behind its type, which is ahead."""
        self.index += 1
        return self.value(type_, self.starts[self.index - 1])

    def _integers(self, type_: IntegerType) -> list[Operand]:
        """The elements that a list begins with, as long as they have few digits: all of most lists."""
        texts, starts, word, index = self.texts, self.starts, str(type_), self.index
        found: list[Operand] = []
        most = min(_SHORT, self.limits.digits + 1)
        while type_.bits >= _NARROW and texts[index] == word:
            digits = texts[index + 1]
            if len(digits) >= most or not is_natural(digits):
                break
            place = starts[index], starts[index + 1] + len(digits)
            found.append(Operand(*place, type_, Integer(int(digits))))
            self.index = index + 2
            if texts[self.index] != ",":
                break
            index += 3
        return found

    def _splat(self, type_: Type) -> Splat:
        start = self.start
        self.index += 1
        self.expect("(")
        item = self.operand()
        self.expect(")")
        if not isinstance(type_, VectorType) or type_.element != item.type:
            place = self.range_of(start, self.end)
            self.fail(f"splat of {item.type} is no {type_}", self.codes.malformed, place)
        return Splat(item)

    def _cast(self) -> Expression:
        name = self.take()
        self.expect("(")
        operand = self.operand()
        self.expect("to")
        to = self.value_type()
        self.expect(")")
        return Expression(name, (operand,), to)

    def _address(self) -> Expression:
        name = self.take()
        while self.token in _FLAGS or self.token == "inrange":
            self.take()
            if self.token == "(":
                self.skip_balanced()
                break
        self.expect("(")
        counted = self.value_type()
        operands: list[Operand] = []
        while self.accept(","):
            self.accept("inrange")
            operands.append(self.operand())
        self.expect(")")
        return Expression(name, tuple(operands), counted)

    def _arithmetic(self) -> Expression:
        name = self.take()
        while self.token in _FLAGS:
            self.take()
        self.expect("(")
        lhs = self.operand()
        self.expect(",")
        rhs = self.operand()
        self.expect(")")
        return Expression(name, (lhs, rhs))


def _item_types(type_: Type) -> Type | tuple[Type, ...] | None:
    match type_:
        case VectorType(element=element) | ArrayType(element=element):
            return element
        case StructType(fields=fields):
            return fields
        case _:
            return None


def _field_count(type_: Type) -> int:
    return len(type_.fields) if isinstance(type_, StructType) else 0
