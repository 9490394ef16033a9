"""Random damage: never an exception, and the first error lies next to the edit."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from effort import falls_short
from frontends.tensor_language.reading import clean, kernel
from tilewright.diagnostics import Report, Severity, Source, SourceRange
from tilewright.frontends.tensor_language import format_source, parse
from tilewright.frontends.tensor_language.lexer import tokenize
from tilewright.frontends.tensor_language.limits import DEFAULT_LIMITS
from tilewright.frontends.tensor_language.parser import INSTRUCTIONS
from tilewright.frontends.tensor_language.vocabulary import ALL_MODIFIERS

BODY = """%one = constant 1.0 : f32
%zero = constant 0 : index
%m = load %G[%i] : memref<f32x8x?>
%s = subview %M[0:4,%i,1:%i,%i] : memref<f32x4x?,strided<1,?>>
%e = expand %M[0->4 x 8] : memref<f32x4x8x4x?x64>
%t = alloca {alignment=64} : memref<f32x16x8,local>
gemm.n.t %one, %A, %A, %f, %A
axpby.atomic %f, %v, %one, %v
cumsum %f, %A, 1, %f, %A
foreach (%p,%q)=(%zero,%zero),(%i,%i) {
    %x = load %A[%p,%q] : f32
    %y = mul %x, %f : f32
    store %y, %A[%q,%p]
}
foreach_tile (%p,%q)=(%zero,%zero),(%i,%i) as (%h,%w)<=(32,8) {
    %c = cooperative_matrix_load.t.both_checked %A[%p,%q] : coopmatrix<f32x32x8,matrix_acc>
    cooperative_matrix_store %c, %A[%p,%q]
}
%r, %u = for %n=%zero,%i init(%p=%f,%q=%k) -> (f32,i32) {
    %x = if %b -> (f32) {
        yield (%p)
    } else {
        %y = add %p, %f : f32
        yield (%y)
    }
    yield (%x, %q)
} attributes{unroll=4}
barrier.global.local
"""


def _damage(text: str, rng: np.random.Generator) -> tuple[str, int]:
    """The text with one token deleted, doubled or replaced by another of its tokens, and where."""
    source = Source("t", text)
    tokens = tokenize(source, Report(), DEFAULT_LIMITS)
    assert tokens is not None
    index = int(rng.integers(len(tokens.texts) - 1))
    start, old = tokens.starts[index], tokens.texts[index]
    other = tokens.texts[int(rng.integers(len(tokens.texts) - 1))]
    new = ("", f"{old} {old}", other)[int(rng.integers(3))]
    return text[:start] + new + text[start + len(old) :], start


def test_the_first_error_is_next_to_the_edit(rng: np.random.Generator) -> None:
    report = Report()
    text = format_source(Source("t", kernel(BODY)), report)
    clean(text)
    broken = near = 0
    for _ in range(1000):
        damaged, start = _damage(text, rng)
        source, report = Source("t", damaged), Report()
        parse(source, report)
        errors = [d.location.primary for d in report.diagnostics if d.severity is Severity.ERROR]
        if not errors:
            continue
        broken += 1
        assert isinstance(errors[0], SourceRange)
        near += abs(source.position(errors[0].start)[0] - source.position(start)[0]) <= 1
    assert broken > 800
    assert not falls_short(near, broken, 0.95), f"{near} of {broken}"


WORDS = sorted({*INSTRUCTIONS, *ALL_MODIFIERS, "func", "@f", "%x", "%y", "$a", "=", "(", ")", "{", "}", "[", "]", ","})
TOKENS = st.lists(
    st.sampled_from([*WORDS, "<", ">", ":", "?", "x", "1", "1.0", "->", "<=", "memref", "f32", "!calc", '"a"', "else"])
)


@settings(max_examples=150, deadline=None)
@given(st.text() | st.binary().map(lambda b: b.decode("utf-8", errors="replace")))
def test_any_text_is_answered(text: str) -> None:
    for source in (Source("t", text), Source("t", kernel(text))):
        parse(source, Report())
        format_source(source, Report())


@settings(max_examples=250, deadline=None)
@given(TOKENS)
def test_any_tokens_are_answered(words: list[str]) -> None:
    text = " ".join(words)
    for source in (Source("t", text), Source("t", kernel(text))):
        parse(source, Report())
        format_source(source, Report())
