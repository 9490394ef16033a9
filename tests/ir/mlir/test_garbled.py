"""Garbled, truncated and hostile text: diagnostics where the damage is, never an exception, and never long."""

from __future__ import annotations

import random
import re

import numpy as np

from effort import Ran, count, falls_short
from ir.mlir.reading import PRINTED, findings
from tilewright.diagnostics import Report, Severity, Source
from tilewright.diagnostics.render import render_text
from tilewright.ir.mlir.printer import print_generic
from tilewright.ir.mlir.reader import read_generic
from tilewright.ir.verifier import verify

TEXTS = [path.read_text() for path in PRINTED]
TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_0-9$.]+|[%@#!^][A-Za-z_0-9$.-]*|->|\S')
WORDS = ["{", "}", "(", ")", "<", ">", "[", "]", ",", ":", "->", "=", "%a", "%", "@", "#", "!", '"', "^bb0", "^bb1", "0x", "-1", "1.5e9", "loc(", "loc(#loc", "dense<", "memref<", "affine_map<", "\n", "//", "?", "\0", "é", "\\", "{-#", "#-}", "\ud800", "x", "vector<[", "array<", "sparse<", "::", "1e", "distinct["]  # fmt: skip  # noqa: E501


def survives(text: str) -> None:
    report = Report()
    file = read_generic(Source("hostile.mlir", text), report)
    assert file is not None or report.errors
    if file is not None and not report.errors:
        verify(file.module, report)
        again = print_generic(file)
        second = Report()
        reread = read_generic(Source("again.mlir", again), second)
        assert reread is not None
        assert not second.errors, render_text(second.in_order)
        assert print_generic(reread) == again
    for diagnostic in report.diagnostics:
        place = diagnostic.location.primary
        assert place is not None, str(diagnostic)
        assert 0 <= place.start <= place.end <= len(text)
    render_text(report.in_order)


def test_truncated_texts() -> None:
    for text in TEXTS:
        for end in range(0, len(text), 397):
            survives(text[:end])


def test_garbled_texts(ran: Ran) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    cases = count("RANDOM_GARBLED_MLIR", 75, 5000)
    for _ in range(cases):
        text = rng.choice(TEXTS)
        for _ in range(rng.randint(1, 4)):
            a = rng.randrange(len(text))
            b = min(len(text), a + rng.choice((0, 0, 1, 2, 20)))
            text = text[:a] + rng.choice(WORDS) + text[b:]
        try:
            survives(text)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {text!r}") from error
    ran(cases, "garbled texts of MLIR")


def changed(token: str, other: str, how: int) -> str:
    """The token left out, twice, with two letters exchanged, or another one of the text."""
    match how:
        case 0:
            return ""
        case 1:
            return f"{token} {token}"
        case 2 if len(token) > 1:
            return token[1] + token[0] + token[2:]
        case _:
            return other


def test_errors_are_where_the_change_is(rng: np.random.Generator, ran: Ran) -> None:
    """One token is changed: the first error stands within a line of it, and is alone."""
    wrong = near = single = 0
    cases = count("RANDOM_CHANGED_MLIR", 150, 3000)
    for _ in range(cases):
        text = TEXTS[rng.integers(len(TEXTS))]
        tokens = [t for t in TOKEN.finditer(text) if not t[0].startswith("//")]
        token, other = (tokens[rng.integers(len(tokens))] for _ in range(2))
        mutated = text[: token.start()] + changed(token[0], other[0], int(rng.integers(4))) + text[token.end() :]
        found = [d for d in findings(mutated) if d.severity is Severity.ERROR]
        if not found:
            continue
        place = found[0].location.primary
        assert place is not None, str(found[0])
        wrong += 1
        near += abs(place.source.position(place.start)[0] - 1 - text.count("\n", 0, token.start())) <= 1
        single += len(found) == 1
    assert not falls_short(near, wrong, 0.95), (near, wrong)
    assert not falls_short(single, wrong, 0.93), (single, wrong)
    ran(cases, "changed texts of MLIR")


def test_long_hostile_texts_take_no_longer_than_others() -> None:
    length = 1 << 18
    for text in (
        "(" * length,
        '"t.a"() ({ ' * (length // 10),
        '"t.a"() {x = ' + "[" * length,
        '"t.a"() {x = dense<' + "[" * length,
        '"t.a"() {x = !x.y<' + "<" * length,
        '"t.a"() {x = "' + "a" * length,
        '"t.a"() {x = ' + "1" * length,
        "%" + "a" * length,
        "//" * length,
        "#a = 1\n" * (length // 7),
        '"t.a"(%x) : (i1) -> ()\n' * (length // 23),
        '"t.b"()[^b] : () -> ()\n' * (length // 23),
        "é " * length,
    ):
        report = Report()
        read_generic(Source("hostile.mlir", text), report)
        assert report.errors or text.startswith("//")
