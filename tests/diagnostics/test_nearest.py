"""What a misspelt word is said to stand for: all words that are as near as the nearest, and no other."""

from __future__ import annotations

import pytest

from tilewright.diagnostics.diagnostic import Diagnostic, Fix, Severity
from tilewright.diagnostics.nearest import did_you_mean, nearest
from tilewright.diagnostics.source import UNKNOWN

WORDS = ("axpby", "gemm", "gemv", "ger", "hadamard", "sum")


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("gem", ("gemm", "gemv")),
        ("gemmm", ("gemm",)),
        ("gmev", ("gemv",)),
        ("hadamrd", ("hadamard",)),
        ("cumulative", ()),
        ("h" * 81, ()),
    ],
)
def test_all_that_are_equally_near(word: str, found: tuple[str, ...]) -> None:
    for candidates in (WORDS, WORDS[::-1], WORDS * 3):
        assert nearest(word, candidates) == found


def test_three_at_most() -> None:
    found = nearest("%a", [f"%a{k}" for k in range(9)])
    assert len(found) == 3
    assert nearest("%a", ["%a1", "%b", "%a3", "%a2"]) == ("%a1", "%a2", "%a3")


def test_the_question() -> None:
    said = ["did you mean `a`?", "did you mean `a` or `b`?", "did you mean `a`, `b` or `c`?"]
    assert [did_you_mean("abc"[:count], "`") for count in (1, 2, 3)] == said


def test_each_is_offered() -> None:
    found = Diagnostic(Severity.ERROR, "V2", "no").suggest(UNKNOWN, ("gemm", "gemv"), "`")
    assert found.hints == ["did you mean `gemm` or `gemv`?"]
    assert found.fixes == [Fix(UNKNOWN, "gemm", "write `gemm`"), Fix(UNKNOWN, "gemv", "write `gemv`")]
    none = Diagnostic(Severity.ERROR, "V2", "no").suggest(UNKNOWN, ())
    assert (none.hints, none.fixes) == ([], [])
