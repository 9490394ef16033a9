"""Mutated kernels and random bytes end in a program or in diagnostics, never in anything else."""

from __future__ import annotations

import random
import re

import pytest

from generators.kernels import generate
from tilewright.compiler import read_module
from tilewright.diagnostics import CompileError, Diagnostic, Report, Severity, Source
from tilewright.diagnostics.render import render_text

TOKEN = re.compile(r"[%@$]?[A-Za-z_0-9]+|->|\S")
JUNK = ["%", "func", "}", "{", "<", ">", "x", "?", "memref<f32x4>", "0", "-", ":", "gemm", "$n", "99999999999999999999"]


def diagnostics(text: str) -> list[Diagnostic]:
    """Errors of a text; rendering them must work as well."""
    report = Report()
    try:
        read_module(Source("k.tl", text), report)
    except CompileError as error:
        found = error.diagnostics
    else:
        found = []
    assert bool(render_text(found)) == bool(found)
    return [d for d in found if d.severity is Severity.ERROR]


def mutated(rnd: random.Random, text: str) -> tuple[str, int]:
    """The text with one token deleted or replaced, and the line of the edit."""
    tokens = list(TOKEN.finditer(text))
    chosen = rnd.choice(tokens)
    replacement = "" if rnd.random() < 0.5 else rnd.choice(JUNK)
    line = text.count("\n", 0, chosen.start()) + 1
    return text[: chosen.start()] + replacement + text[chosen.end() :], line


@pytest.mark.parametrize("seed", range(40))
def test_mutated_kernels(seed: int) -> None:
    rnd = random.Random(seed)
    text = generate(rnd).text
    for _ in range(10):
        diagnostics(mutated(rnd, text)[0])


@pytest.mark.parametrize("seed", range(10))
def test_random_text(seed: int) -> None:
    rnd = random.Random(seed)
    for _ in range(30):
        diagnostics("".join(rnd.choice(["func @k(", *JUNK, "\n", " ", "\0", "é", '"', ";"]) for _ in range(60)))


def test_the_first_error_is_near_the_edit() -> None:
    """At least 95 % of first errors lie within one line of a one-token edit."""
    rnd = random.Random(12345)
    near = total = 0
    while total < 400:
        text, line = mutated(rnd, generate(rnd).text)
        found = diagnostics(text)
        if not found:
            continue
        total += 1
        place = found[0].location.primary
        if place is not None and abs(place.source.position(place.start)[0] - line) <= 1:
            near += 1
    assert near >= 0.95 * total, f"{near} of {total}"
