"""Reads types."""

from __future__ import annotations

import re
from typing import Final

from tilewright.diagnostics import Report, Source
from tilewright.frontends.tlx.llvm.codes import Codes
from tilewright.frontends.tlx.llvm.limits import DEFAULT_LIMITS, Limits
from tilewright.frontends.tlx.llvm.tokens import Tokens, is_natural
from tilewright.frontends.tlx.llvm.types import (
    FLOATS,
    PLAIN,
    PTR,
    VOID,
    ArrayType,
    FloatType,
    FunctionType,
    IntegerType,
    NamedType,
    PlainType,
    PointerType,
    StructType,
    TargetType,
    Type,
    VectorType,
)

_INTEGER: Final = re.compile(r"i([0-9]+)")
_SUFFIXES: Final = frozenset({"*", "(", "addrspace"})


class TypeReader(Tokens):
    """Reads types, nested to a limit. Types of one word, and vectors of them, are most of a text and looked up."""

    depth: int = 0

    def __init__(self, source: Source, report: Report, codes: Codes, limits: Limits = DEFAULT_LIMITS) -> None:
        super().__init__(source, report, codes, limits)
        integers = (IntegerType(bits) for bits in (1, 8, 16, 32, 64) if bits <= limits.integer_bits)
        self._words: dict[str, Type] = {**FLOATS, **PLAIN, "ptr": PTR, **{str(t): t for t in integers}}

    def at_type(self) -> bool:
        """Whether a type is ahead."""
        found = self.token
        return (
            found in self._words
            or found in {"[", "{", "target"}
            or found[:1] == "<"
            or (found[:1] == "%" and len(found) > 1)
            or _INTEGER.fullmatch(found) is not None
        )

    def type(self, what: str = "a type", function: bool = True) -> Type:
        """A type; `function` allows the parameters of a function type behind it."""
        known = self._known()
        if known is not None:
            return known
        start = self.start
        self.enter("types")
        try:
            found = self._suffixed(self._first(what), start, function)
        finally:
            self.depth -= 1
        return found

    def _known(self) -> Type | None:
        """Read the type ahead if it is one token."""
        index = self.index
        found = self._words.get(self.texts[index]) or self._short_vector()
        # a vector and its elements are two levels
        if found is None or self.texts[index + 1] in _SUFFIXES or self.depth + 1 >= self.limits.nesting:
            return None
        self.index = index + 1
        return found

    def value_type(self, what: str = "a type") -> Type:
        """A type that values have."""
        known = self._known()
        if known is not None and known is not VOID:
            return known
        start = self.starts[self.index - (known is not None)]
        found = known or self.type(what)
        if found == VOID or isinstance(found, FunctionType):
            self.fail(f"no value has the type {found}", self.codes.malformed, self.range_of(start, self.end))
        return found

    def enter(self, what: str) -> None:
        """Count a level of nesting; who calls takes it back."""
        self.depth += 1
        if self.depth > self.limits.nesting:
            found, self.depth = self.depth, 1
            self.over(f"{what} nested to a depth", found, self.limits.nesting, "levels", self.here(), give_up=False)

    def _first(self, what: str) -> Type:
        start, found = self.start, self.token
        floating = FLOATS.get(found)
        if floating is not None:
            self.index += 1
            return floating
        integer = _INTEGER.fullmatch(found)
        if integer is not None:
            self.index += 1
            return self._integer(integer[1], start)
        if found in PLAIN:
            self.index += 1
            return PLAIN[found]
        if self.is_name("%"):
            return NamedType(self.name("%", what))
        match found:
            case "[":
                return self._array()
            case "{":
                return StructType(self._fields())
            case "target":
                return self._target()
            case "ptr":
                self.index += 1
                return PointerType(None, self._space())
            case _ if found[:1] == "<":
                return self._vector()
            case _:
                return self.fail(f"expected {what}", self.codes.malformed)

    def _integer(self, digits: str, start: int) -> IntegerType:
        bits = self.number_of(digits, start)
        if not 1 <= bits <= self.limits.integer_bits:
            place = self.range_of(start, self.end)
            if bits == 0:
                self.fail("an integer has at least one bit", self.codes.malformed, place)
            self.over("an integer", bits, self.limits.integer_bits, "bits", place, give_up=False)
        return IntegerType(bits)

    def _space(self) -> int:
        if not self.accept("addrspace"):
            return 0
        self.expect("(")
        space = self.natural("an address space")
        self.expect(")")
        return space

    def _suffixed(self, found: Type, start: int, function: bool) -> Type:
        levels = 0
        while True:
            if self.token == "*" or (self.token == "addrspace" and not isinstance(found, PointerType)):
                space = self._space()
                self.expect("*")
                if isinstance(found, PointerType) and found.pointee is None:
                    self.fail("ptr* is no type; use ptr", self.codes.malformed, self.range_of(start, self.end))
                found = PointerType(found, space)
            elif function and self.token == "(":
                found = self._function(found)
            else:
                break
            levels += 1
            if self.depth + levels > self.limits.nesting:
                place = self.range_of(start, self.end)
                found_depth = self.depth + levels
                self.over("types nested to a depth", found_depth, self.limits.nesting, "levels", place, give_up=False)
        if isinstance(found, PointerType) and found.pointee in (VOID, PLAIN["label"], PLAIN["metadata"]):
            self.fail(f"{found} is no type; use i8* or ptr", self.codes.malformed, self.range_of(start, self.end))
        return found

    def _function(self, result: Type) -> FunctionType:
        self.expect("(")
        parameters: list[Type] = []
        variadic = False
        while not self.accept(")"):
            if parameters or variadic:
                self.expect(",")
            if self.accept("..."):
                variadic = True
            else:
                parameters.append(self.value_type("the type of a parameter"))
        return FunctionType(result, tuple(parameters), variadic)

    def _counted(self, what: str) -> tuple[int, bool, Type]:
        scalable = self.accept("vscale")
        if scalable:
            self.expect("x")
        count = self.natural(f"the number of elements of {what}")
        self._times()
        return count, scalable, self.value_type(f"the type of the elements of {what}")

    def _times(self) -> None:
        if self.token == "x":
            self.index += 1
        elif len(self.token) > 1 and self.token[0] == "x":
            # no space behind it: `<4 xi32>`
            self.starts[self.index] += 1
            self.texts[self.index] = self.token[1:]
        else:
            self.fail("expected 'x'", self.codes.malformed)

    def _short_vector(self) -> VectorType | None:
        """The vector that is ahead as one token, kept for the next time."""
        text = self.texts[self.index]
        if text[:1] != "<":
            return None
        count, _, word = text[1:-1].partition(" x ")
        element, limits = self._words.get(word), self.limits
        if element is None or len(count) > limits.digits:
            return None
        found = VectorType(int(count), element)
        if not 0 < found.count <= limits.elements or found.count * _bytes(element) > limits.bytes:
            return None
        self._words[text] = found
        return found

    def _vector(self) -> Type:
        start = self.start
        if len(self.token) > 1:
            known = self._words.get(self.token)
            if known is not None and self.depth < self.limits.nesting:
                self.index += 1
                return known
            self.split_vector()
        self.expect("<")
        if self.token == "{":
            fields = self._fields()
            self.expect(">")
            return StructType(fields, packed=True)
        count, scalable, element = self._counted("a vector")
        self.expect(">")
        place = self.range_of(start, self.end)
        if not isinstance(element, IntegerType | FloatType | PointerType):
            self.fail(f"a vector holds integers, floats or pointers, not {element}", self.codes.malformed, place)
        if count == 0:
            self.fail("a vector has at least one element", self.codes.malformed, place)
        self._bounded(count, element, "a vector", start)
        return VectorType(count, element, scalable)

    def _array(self) -> ArrayType:
        start = self.start
        self.expect("[")
        count, _, element = self._counted("an array")
        self.expect("]")
        if isinstance(element, PlainType):
            place = self.range_of(start, self.end)
            self.fail(f"an array holds no {element}", self.codes.malformed, place)
        self._bounded(elements_of(ArrayType(count, element)), element, "an array", start)
        return ArrayType(count, element)

    def _bounded(self, count: int, element: Type, what: str, start: int) -> None:
        place, limits = self.range_of(start, self.end), self.limits
        code = self.codes.elements
        if count > limits.elements:
            self.over(what, count, limits.elements, "elements", place, give_up=False, code=code)
        if count * _bytes(element) > limits.bytes:
            self.over(what, count * _bytes(element), limits.bytes, "bytes", place, give_up=False, code=code)

    def _fields(self) -> tuple[Type, ...]:
        self.expect("{")
        fields: list[Type] = []
        while not self.accept("}"):
            if fields:
                self.expect(",")
            fields.append(self.value_type("the type of a field"))
        return tuple(fields)

    def _target(self) -> TargetType:
        self.index += 1
        self.expect("(")
        name = self.string("the name of a target type")
        types: list[Type] = []
        integers: list[int] = []
        while not self.accept(")"):
            self.expect(",")
            if is_natural(self.token):
                integers.append(self.natural("an integer"))
            else:
                types.append(self.type("a type or an integer"))
        return TargetType(name, tuple(types), tuple(integers))


def _bytes(element: Type) -> int:
    """What an element of a vector or an array takes."""
    return (element.bits + 7) // 8 if isinstance(element, IntegerType | FloatType) else 8


def elements_of(type_: Type) -> int:
    """Numbers and pointers that a value consists of, those of named types apart."""
    total = 1
    while isinstance(type_, ArrayType | VectorType):
        total *= type_.count
        type_ = type_.element
    if isinstance(type_, StructType):
        total *= sum(elements_of(field) for field in type_.fields)
    return total
