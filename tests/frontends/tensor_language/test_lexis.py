"""The traps of the lexical rules (reference 1.1)."""

from __future__ import annotations

import pytest

from frontends.tensor_language.reading import clean, error_of, kernel
from tilewright.diagnostics import Report, Source
from tilewright.dialects.arith import Constant
from tilewright.frontends.tensor_language import print_module
from tilewright.frontends.tensor_language.lexer import END, tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS
from tilewright.ir.types import F32, GroupType, MemrefType, memref


def tokens(text: str) -> list[str]:
    found = tokenize(Source("t", text), Report(), DEFAULT_LIMITS)
    assert found is not None
    assert found.texts[-1] is END
    return found.texts[:-1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f32x64x?", "f32 x 64 x ?"),
        ("memref<f32x4>x?", "memref < f32 x 4 > x ?"),
        ("bf16x8x16", "bf16 x 8 x 16"),
        ("indexx4", "index x 4"),
        ("f32x0x4", "f32 x 0 x 4"),
        ("%nx4", "%nx4"),
        ("%n x4", "%n x 4"),
        ("%1x4", "%1 x 4"),
        ("$mx$n", "$mx $n"),
        ("$m x $n", "$m x $n"),
        ("1->2", "1 -> 2"),
        ("-1", "-1"),
        ("$a 1 -", "$a 1 -"),
        ("- 1", "- 1"),
        ("-.5 +inf -nan", "-.5 +inf -nan"),
        ("infx nan_", "infx nan_"),
        (".5", ".5"),
        ("gemm.t.n", "gemm .t .n"),
        ("gemm .t", "gemm .t"),
        (">>", "> >"),
        ("<=(", "<= ("),
        ("1. 1.e5 1e5 0x1.8p3 0x.8 0x1p-2 0x1", "1. 1.e5 1e5 0x1.8p3 0x.8 0x1p-2 0 x 1"),
        ('"; no comment" ; comment', '"; no comment"'),
        ("!calc(%2)", "!calc ( %2 )"),
        ("a;b\rc\nd", "a d"),
        ("xor x xa", "xor x xa"),
    ],
)
def test_tokens(text: str, expected: str) -> None:
    assert " ".join(tokens(text)) == expected


def test_every_split_of_a_chunk_gives_the_same_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'func @f ; comment 1e+5\n "a b" 0x1.8p+3 f32x64x? -> <= .atomic !calc %long_name_here'
    expected = tokens(text)
    for size in range(1, len(text)):
        monkeypatch.setattr("tilewright.frontends.tensor_language.lexer._CHUNK", size)
        assert tokens(text) == expected, size


def test_shapes_may_have_blanks() -> None:
    (first, second) = (
        clean("func @f(%a: memref<f32 x 4 x ?>, %b: group<memref<f32>  x 3, offset : ? >) {}").kernels[0].parameters
    )
    assert first.type == memref(F32, (4, None))
    assert second.type == GroupType(memref(F32), 3, None)


def test_zero_extent_is_no_hexadecimal_prefix() -> None:
    (parameter,) = clean("func @f(%a: memref<f32x0x4>) {}").kernels[0].parameters
    assert isinstance(parameter.type, MemrefType)
    assert parameter.type.shape == (0, 4)


def test_default_strides_and_space_are_the_same_type() -> None:
    first, second = (
        clean("func @f(%a: memref<f32x5x?x6,strided<1,5,?>,global>, %b: memref<f32x5x?x6>) {}").kernels[0].parameters
    )
    assert first.type == second.type
    assert "strided" not in str(first.type)


def test_unnamed_identifiers_are_numbers() -> None:
    assert "%7 = " in print_module(clean(kernel("%007 = add %k, %k : i32 %8 = add %07, %7 : i32")))


@pytest.mark.parametrize("names", ["func", "for", "gemm", "x", "x8", "memref", "inf"])
def test_reserved_words_are_legal_names(names: str) -> None:
    clean(f"func @{names}(%{names}: f32) {{ %y = add %{names}, %{names} : f32 }}")


def test_several_instructions_on_a_line() -> None:
    module = clean(kernel("%x = add %k, %k : i32 %y = add %x, %x : i32 barrier store %f, %v[%i]"))
    assert [op.name for op in module.kernels[0].body.entry] == [
        "arith.add",
        "arith.add",
        "team.barrier",
        "memref.store",
    ]


def test_integers_are_no_floats() -> None:
    module = clean(kernel("%x = constant 1 : f32 %y = constant 1. : i32"))
    values = [op.value for op in module.kernels[0].body.entry if isinstance(op, Constant)]
    assert [type(v) for v in values] == [int, float]


@pytest.mark.parametrize(
    ("text", "at", "word"),
    [
        ("%x = add\0 %k, %k : i32", "\0", "NUL"),
        ("%x = add é %k, %k : i32", "é", "ASCII"),
        ("%x = constant ² : i32", "²", "ASCII"),
        ("%x = constant ٣ : i32", "٣", "ASCII"),
        ("%x = constant ².5 : f32", "²", "ASCII"),
        ("%t = alloca : memref<f32x²,local>", "²", "ASCII"),
        ("%x = add ` %k, %k : i32", "`", "fits nowhere"),
        ('%t = alloca {"a\n=1} : memref<f32x4,local>', '"a', "does not end"),
    ],
)
def test_characters_that_fit_nowhere(text: str, at: str, word: str) -> None:
    found = error_of(kernel(text))
    assert found.at == ("V1", at)
    assert word in found.message


def test_any_character_in_comments() -> None:
    clean(kernel('; é " { 世界\n'))


def test_keywords_are_case_sensitive() -> None:
    assert error_of(kernel("%x = Add %k, %k : i32")).at == ("V2", "Add")
