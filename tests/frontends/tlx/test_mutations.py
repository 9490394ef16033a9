"""Garbled texts end in a module or in findings with places; the first one is near the change."""

from __future__ import annotations

import random
import re
from typing import Final

import numpy as np

from effort import count, falls_short
from frontends.tlx.kernels import function, module_of
from frontends.tlx.test_meaning import PRODUCT
from frontends.tlx.test_printing import INTRINSICS, LOOP, PARAMETERS, PLAIN, plain
from tilewright.diagnostics import CompileError, Diagnostic, Report, Severity, Source
from tilewright.diagnostics.render import render_text
from tilewright.frontends.tlx.formatter import format_source
from tilewright.frontends.tlx.printer import print_module
from tilewright.frontends.tlx.printing import TensorForm
from tilewright.frontends.tlx.reading import read_tlx

TEXTS: Final = [
    PRODUCT,
    LOOP,
    *(function(*lines, parameters=PARAMETERS) for lines in INTRINSICS.values()),
    *(plain(body) for body in PLAIN),
]
WITHOUT_TOKENS: Final = [print_module(module_of(text), TensorForm.TARGET_TYPES) for text in TEXTS]
TOKEN: Final = re.compile(r'"[^"]*"|[%@!#]?[\w.$-]+|\S')
JUNK: Final = [
    "",
    "%",
    "@",
    "<",
    ">",
    "{",
    "}",
    "x",
    "token",
    "i32",
    "-1",
    "99999999999999999999",
    "zeroinitializer",
    "ret",
]


def errors(text: str) -> list[Diagnostic]:
    """Errors of a text; they are rendered, and what is valid prints as its own."""
    source, report = Source("k.ll", text), Report()
    format_source(source, Report())
    try:
        module = read_tlx(source, report)
    except CompileError as error:
        found = [d for d in error.diagnostics if d.severity is Severity.ERROR]
        render_text(found)
        assert all(d.location.primary is not None for d in found)
        return found
    for form in TensorForm:
        printed = print_module(module, form)
        assert print_module(read_tlx(Source("again.ll", printed), Report()), form) == printed
    return []


def changed(rnd: random.Random, text: str) -> tuple[str, int]:
    """A text with one token left out, doubled, or replaced, and the line where."""
    tokens = list(TOKEN.finditer(text))
    token, other = rnd.choice(tokens), rnd.choice(tokens)
    new = rnd.choice(["", f"{token[0]} {token[0]}", other[0], rnd.choice(JUNK)])
    return text[: token.start()] + new + text[token.end() :], text.count("\n", 0, token.start()) + 1


def test_errors_are_where_the_change_is(rng: np.random.Generator) -> None:
    rnd = random.Random(int(rng.integers(1 << 40)))
    wrong = near = single = 0
    for _ in range(count("RANDOM_TLX_MUTATIONS", 300, 3_000)):
        text, line = changed(rnd, rnd.choice(TEXTS))
        found = errors(text)
        if not found:
            continue
        place = found[0].location.primary
        assert place is not None
        wrong += 1
        at = place.source.position(place.start)[0]
        labels = [
            p.source.position(p.start)[0] for label in found[0].labels if (p := label.location.primary) is not None
        ]
        near += any(abs(n - line) <= 1 for n in (at, *labels))
        single += len(found) == 1
    assert not falls_short(near, wrong, 0.95), (near, wrong)
    assert not falls_short(single, wrong, 0.95), (single, wrong)


def test_texts_of_anything(rng: np.random.Generator) -> None:
    rnd = random.Random(int(rng.integers(1 << 40)))
    words = [*JUNK, *(token for text in TEXTS for token in TOKEN.findall(text))]
    for _ in range(count("RANDOM_TLX_TEXTS", 100, 1_000)):
        errors("define void @k(ptr %a) {\n" + " ".join(rnd.choice([*words, "\n", "\n"]) for _ in range(60)))
        errors("".join(chr(rnd.randrange(1, 300)) for _ in range(60)))


def test_several_changes_at_once(rng: np.random.Generator) -> None:
    rnd = random.Random(int(rng.integers(1 << 40)))
    for _ in range(count("RANDOM_TLX_MUTATIONS", 100, 1_000)):
        text = rnd.choice(rnd.choice([TEXTS, WITHOUT_TOKENS]))
        for _ in range(rnd.randrange(1, 8)):
            text = changed(rnd, text)[0]
        errors(text)
