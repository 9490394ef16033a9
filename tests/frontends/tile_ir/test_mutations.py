"""One token of a valid text is changed: what a user gets stands where the change is, and is one diagnostic."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from effort import falls_short
from frontends.tile_ir.marked import findings
from frontends.tile_ir.samples import BODIES, module
from tilewright.diagnostics import Severity
from tilewright.diagnostics.render import render_text

EXAMPLES = Path(__file__).parents[3] / "examples"
TOKEN = re.compile(r'//[^\n]*|"(?:[^"\\\n]|\\.)*"|[A-Za-z_0-9$.]+|[%@#!^][A-Za-z_0-9$.-]*|->|\S')
MUTATIONS = 400


def texts() -> list[str]:
    return [p.read_text() for p in sorted(EXAMPLES.glob("*.tileir"))] + [module(body) for body in BODIES.values()]


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


def test_errors_are_where_the_change_is(rng: np.random.Generator) -> None:
    originals = texts()
    wrong = near = single = 0
    for _ in range(MUTATIONS):
        text = originals[rng.integers(len(originals))]
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
    assert single >= 0.95 * wrong, (single, wrong)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            "%mask : tile<1024xptr",
            "%msk : tile<1024xptr",
            ["%msk is not defined here", "did you mean %mask?"],
        ),
        (
            "%z = addf %x, %y",
            "%z = addf %x %y",
            ["expected ',', found '%y'", "it is written `addf %lhs, %rhs"],
        ),
        ("%z = addf", "= addf", ["error[C1]: expected an operation, found '='"]),
        ("%n: tile<i32>) {", "%n: tile<i32>)", ["error[C1]: expected '{', found '%bx'"]),
        ("%i = iota : tile<1024xi32>", "%i = iota : tile<1000xi32>", ["error[C8]", "powers of two, not 1000"]),
        ("    return\n  }\n", "    return\n", ["expected '}', found the end", "seems to lack its partner"]),
        (
            "%k = constant",
            "}\n%k = constant",
            ["expected an entry or a global, found an operation", "one '}' too many"],
        ),
        ("%at = addi", "%at = add", ["error[C2]: there is no operation 'add'", "did you mean addf or addi?"]),
    ],
)
def test_one_mistake_is_one_diagnostic_with_help(old: str, new: str, expected: list[str]) -> None:
    text = (EXAMPLES / "vector_add.tileir").read_text()
    assert old in text
    found = findings(text.replace(old, new, 1))
    shown = render_text(found)
    assert len(found) == 1, shown
    for words in expected:
        assert words in shown
