"""Types of vectors and lists of integers: however they are written, they are the same and are checked alike."""

from __future__ import annotations

import pytest

from frontends.tlx.llvm.reading import found, instructions, kernel, read
from tilewright.frontends.tlx.llvm import syntax
from tilewright.frontends.tlx.llvm.limits import Limits
from tilewright.frontends.tlx.llvm.types import FLOATS, PTR, IntegerType, Type, VectorType

TYPES = [
    ("<4 x i32>", "<  4\tx i32 >", VectorType(4, IntegerType(32))),
    ("<2 x double>", "<2 ; pairs\n x double>", VectorType(2, FLOATS["double"])),
    ("<8 x i1>", "<8 xi1>", VectorType(8, IntegerType(1))),
    ("<3 x ptr>", "<3 x ptr >", VectorType(3, PTR)),
]
LISTS = [
    ("<i32 1, i32 2, i32 3, i32 4>", "< i32 1,i32 2 , i32 3, i32 4>"),
    ("<i32 7, i32 7, i32 7, i32 7>", "<i32 7, i32 7, i32 7, i32 0007>"),
    ("<i32 0, i32 0, i32 0, i32 999999999>", "<i32 0, i32 0, i32 0, ; last\n i32 999999999>"),
]
WRONG = [
    ("%r = add <4 x i32> %v, <i32 1, i32 2, i32 3>", "TLX106 2: <4 x i32> has 4 elements, not 3"),
    ("%r = add <4 x i32> %v, <i64 1, i64 2, i64 3, i64 4>", "TLX106 2: the elements of <4 x i32> are i32, not i64"),
    ("%r = add i32 %i, <i32 1, i32 2>", "TLX106 2: this is no constant of type i32"),
    ("%r = alloca <0 x i32>", "TLX106 2: a vector has at least one element"),
    ("%r = alloca <i32 1, i32 2>", "TLX101 2: expected the number of elements of a vector, found 'i32'"),
]


def value(operand: str) -> list[int]:
    """The integers that `add` reads behind a vector."""
    (instruction, _) = instructions(kernel(f"%r = add <4 x i32> %v, {operand}", "ret void"))
    assert isinstance(instruction, syntax.Binary)
    assert instruction.rhs is not None
    match instruction.rhs.value:
        case syntax.Integers(values=values):
            return [*values]
        case syntax.Elements(items=items):
            return [item.value.value for item in items if isinstance(item.value, syntax.Integer)]
        case _:
            return []


@pytest.mark.parametrize(("usual", "odd", "wanted"), TYPES)
def test_a_type_is_the_same_however_it_is_written(usual: str, odd: str, wanted: Type) -> None:
    for text in (usual, odd, usual):
        (instruction, _) = instructions(kernel(f"%r = alloca {text}", "ret void"))
        assert isinstance(instruction, syntax.Alloca)
        assert instruction.type == wanted


@pytest.mark.parametrize(("usual", "odd"), LISTS)
def test_a_list_is_the_same_however_it_is_written(usual: str, odd: str) -> None:
    assert len(value(usual)) == 4
    assert value(usual) == value(odd)


@pytest.mark.parametrize("digit", ["²", "٣"])
@pytest.mark.parametrize(
    "line",
    [
        "%r = freeze <1 x i32> < i32 D>",
        "%r = alloca [D x i32]",
        "%r = alloca < D x i32>",
        "%r = alloca i32, align D",
        "%r = alloca ptr addrspace(D)",
    ],
)
def test_digits_of_other_scripts_are_none(line: str, digit: str) -> None:
    (message,) = found(kernel(line.replace("D", digit), "ret void"))
    assert message.startswith(("TLX101 2: ", "TLX106 2: "))
    assert f"found {digit!r}" in message


@pytest.mark.parametrize("name", ["²", "٣"])
def test_names_of_digits_of_other_scripts_are_words(name: str) -> None:
    assert found(f'define void @k(i32 %"{name}") {{\n"{name}b":\n%r = freeze i32 %"{name}"\nret void\n}}\n') == []
    assert found(f'define void @k(i32 %p) {{\n"{name}":\n%"{name}r" = freeze i32 %p\nret void\n}}\n') == []


def test_long_lists_are_read_as_short_ones_are() -> None:
    for count in (31, 32, 33, 34, 100):
        numbers = ", ".join(f"i64 {k}" for k in range(count))
        (instruction, _) = instructions(kernel(f"%r = freeze <{count} x i64> <{numbers}>", "ret void"))
        assert isinstance(instruction, syntax.Freeze)
        assert isinstance(instruction.value.value, syntax.Integers) == (count <= 32)


@pytest.mark.parametrize(("line", "message"), WRONG, ids=[row[1] for row in WRONG])
def test_what_is_wrong_with_a_vector_is_said(line: str, message: str) -> None:
    assert [text.startswith(message) for text in found(kernel(line, "ret void"))] == [True]


def test_the_place_is_that_of_the_element() -> None:
    text = kernel("%r = add <4 x i32> %v, <i64 1, i64 2, i64 3, i64 4>", "ret void")
    (finding,) = read(text)[1].in_order
    place = finding.location.primary
    assert place is not None
    assert text[place.start : place.end] == "i64 1"


def test_limits_hold_inside_vectors() -> None:
    text = "define void @k() {\n%r = freeze <2 x i32> <i32 123456, i32 1>\nret void\n}\n"
    assert found(text, Limits(digits=6)) == []
    assert found(text, Limits(digits=5))[0].startswith("TLX502")
    assert found(text.replace("i32", "i64"), Limits(integer_bits=32))[0].startswith("TLX502")
