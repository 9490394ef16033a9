"""Each limit of the reader: taken at its value, refused one above, with both numbers in the message."""

from __future__ import annotations

import pytest

from frontends.tlx.llvm.reading import found, kernel
from tilewright.frontends.tlx.llvm.limits import Limits

BODY = kernel("%r = add <4 x i32> %v, splat (i32 3)", "ret void")


def body(*lines: str) -> str:
    """A function without parameters around some lines."""
    return "\n".join(["define void @k() {", *lines, "ret void", "}\n"])


def nested(depth: int) -> str:
    """An allocation of a type nested to a depth."""
    return body(f"%r = alloca {'{ ' * (depth - 1)}i32{' }' * (depth - 1)}")


def pointers(depth: int) -> str:
    """A parameter that is a pointer to pointers."""
    return f"define void @k(i32{'*' * (depth - 1)} %p) {{\nret void\n}}\n"


def constants(depth: int) -> str:
    """A global whose value is nested to a depth."""
    types = ["[1 x " * level + "i32" + "]" * level for level in range(depth)]
    values = [f"[{inner} " for inner in reversed(types[:-1])]
    return f"@g = global {types[-1]} {''.join(values)}1{']' * (depth - 1)}\n"


CASES = [
    ("source_bytes", len(BODY), BODY, BODY + " "),
    ("nesting", 5, nested(5), nested(6)),
    ("nesting", 5, pointers(5), pointers(6)),
    ("nesting", 5, constants(5), constants(6)),
    ("name", 9, body("%abcdefghi = alloca i32"), body("%abcdefghij = alloca i32")),
    ("digits", 5, body("%r = alloca i32, i32 12345"), body("%r = alloca i32, i32 123456")),
    ("digits", 5, body("%r = alloca i32, i32 -12345"), body("%r = alloca i32, i32 -123456")),
    ("integer_bits", 48, body("%r = alloca i48"), body("%r = alloca i49")),
    ("elements", 12, body("%r = alloca <12 x i8>"), body("%r = alloca <13 x i8>")),
    ("elements", 12, body("%r = alloca [3 x [4 x i8]]"), body("%r = alloca [13 x i8]")),
    ("bytes", 48, body("%r = alloca <12 x float>"), body("%r = alloca <13 x float>")),
    ("functions", 2, body() + body().replace("@k", "@l"), "".join(body().replace("@k", f"@{n}") for n in "abc")),
    ("instructions", 3, body("%r = alloca i8", "%s = alloca i8"), body(*(f"%{n} = alloca i8" for n in "abc"))),
    ("block_instructions", 3, body("%r = alloca i8", "%s = alloca i8"), body(*(f"%{n} = alloca i8" for n in "abc"))),
]


@pytest.mark.parametrize(("limit", "value", "at", "above"), CASES, ids=[f"{row[0]}-{k}" for k, row in enumerate(CASES)])
def test_at_the_limit_and_one_above(limit: str, value: int, at: str, above: str) -> None:
    limits = Limits(**{limit: value})
    assert found(at, limits) == []
    first = found(above, limits)[0]
    assert first.startswith("TLX501" if limit in ("elements", "bytes") else "TLX502")
    assert f"{value:,}" in first


def test_tokens() -> None:
    count = len(["define", "void", "@k", "(", ")", "{", "%r", "=", "alloca", "i8", "ret", "void", "}"])
    assert found(body("%r = alloca i8"), Limits(tokens=count)) == []
    assert found(body("%r = alloca i8"), Limits(tokens=count - 1))[0].startswith("TLX502")


def test_errors() -> None:
    text = body(*(f"%r{k} = alloca void" for k in range(5)))
    assert [len(found(text, Limits(errors=most))) for most in (4, 5, 6)] == [4, 5, 5]


def test_every_limit_is_tried() -> None:
    assert {row[0] for row in CASES} | {"tokens", "errors"} == set(Limits.__struct_fields__)


def test_the_defaults_are_those_of_the_reference() -> None:
    limits = Limits()
    assert (limits.source_bytes, limits.tokens, limits.nesting, limits.name) == (1 << 24, 2_000_000, 64, 1024)
    assert (limits.digits, limits.integer_bits, limits.elements, limits.bytes) == (64, 64, 1 << 28, 1 << 34)
    assert (limits.functions, limits.instructions, limits.block_instructions) == (1_000, 100_000, 5_000)
    assert found(body("%r = alloca <268435456 x i32>")) == []
    assert found(body("%r = alloca <268435457 x i32>"))[0].startswith("TLX501")


def test_hostile_texts_end_in_findings() -> None:
    for text in (
        nested(100_000),
        pointers(100_000),
        constants(2_000),
        body("%r = alloca " + "[1 x " * 50_000),
        "@g = global i8 " + "add (i8 1, i8 " * 50_000,
        "(" * 100_000,
        body(*("br label %x" for _ in range(3))),
        '"' * 100_001,
    ):
        assert found(text)
