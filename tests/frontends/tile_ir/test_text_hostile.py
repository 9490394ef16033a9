"""Truncated, garbled and hostile text: diagnostics, never an exception, and never long."""

from __future__ import annotations

import random

import pytest

from frontends.tile_ir.marked import findings
from frontends.tile_ir.samples import BODIES, module
from frontends.tile_ir.test_reading import DEBUG, GENERIC, WHOLE
from tilewright.diagnostics import Report, Source
from tilewright.frontends.tile_ir import parse, print_module
from tilewright.ir.verifier import verify

TEXTS = [*(module(body) for body in BODIES.values()), module(GENERIC), WHOLE, DEBUG]
WORDS = ["{", "}", "(", ")", "<", ">", "[", "]", ",", ":", "->", "=", "%a", "%", "@", "#", "!", '"', "^bb0", "tile<", "0x", "-1", "1.5e9", "loc(", "entry", "if", "for", "\n", "//", "?", "\0", "é"]  # fmt: skip  # noqa: E501


def survives(text: str) -> None:
    report = Report()
    found = parse(Source("hostile.tileir", text), report)
    assert found is not None or report.errors
    if found is not None and not report.errors:
        verify(found, report)
        print_module(found)
    for diagnostic in report.diagnostics:
        place = diagnostic.location.primary
        assert place is None or 0 <= place.start <= place.end <= len(text)


def test_truncated_texts() -> None:
    for text in TEXTS:
        for end in range(0, len(text), 61):
            survives(text[:end])


def test_garbled_texts() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    rng = random.Random(seed)
    for _ in range(150):
        text = rng.choice(TEXTS)
        for _ in range(rng.randint(1, 4)):
            a = rng.randrange(len(text))
            b = min(len(text), a + rng.choice((0, 0, 1, 2, 20)))
            text = text[:a] + rng.choice(WORDS) + text[b:]
        try:
            survives(text)
        except Exception as error:
            raise AssertionError(f"seed {seed}: {text!r}") from error


def nested(depth: int) -> str:
    return "entry @k(%b: tile<i1>) {\n" + "if %b {\n" * depth + "}\n" * depth + "}\n"


def test_regions_are_nested_to_the_limit_and_not_beyond() -> None:
    assert not findings(nested(255))
    [found] = findings(nested(256))
    assert found.code == "C3"
    assert {d.code for d in findings(nested(100_000))} <= {"C3", "C1"}


def doubling(first: str, step: str, count: int) -> str:
    return first + "".join(step.format(now=i, before=i - 1) for i in range(1, count))


HOSTILE = {
    "aliases that double": doubling("#a0 = 1\n", "#a{now} = [#a{before}, #a{before}]\n", 31)
    + "entry @k() {\n} {x = #a30}\n",
    "a chain of aliases": "entry @k(%a: !a4999) {\n}\n" + doubling("!a0 = tile<f32>\n", "!a{now} = !a{before}\n", 5000),
    "nested types": "entry @k(%a: " + "tile<" * 50_000 + "f32" + ">" * 50_000 + ") {\n}\n",
    "nested attributes": "entry @k() {\n} {x = " + "[" * 50_000 + "]" * 50_000 + "}\n",
    "nested lists": "entry @k() {\n%a = constant <i32: " + "[" * 50_000 + "]" * 50_000 + "> : tile<i32>\n}\n",
    "nested locations": "entry @k() {\n} loc(" + '"a"(' * 50_000 + ")" * 50_000 + ")\n",
    "a pack": "entry @k() {\n%a:999999999 = iota : tile<4xi32>\n}\n",
    "a long number": "entry @k() {\n%a = constant <i32: " + "9" * 200_000 + "> : tile<i32>\n}\n",
    "a long name": "entry @k(%" + "a" * 200_000 + ": tile<i32>) {\n}\n",
    "a long shape": "entry @k(%a: tile<" + "1x" * 50_000 + "f32>) {\n}\n",
    "names in front": "entry @k() {\n" + "%a,\n" * 50_000 + "}\n",
    "open braces": "entry @k() {\n" + "if {\n" * 50_000,
    "closing braces": "entry @k() {\n" + "}\n" * 50_000,
    "open strings": '"' * 100_000,
    "comments": "//\n" * 100_000,
    "only spaces": " " * 1_000_000,
    "angle brackets": "entry @k(%a: tensor_view" + "<" * 50_000 + ") {\n}\n",
    "errors": "entry @k() {\n" + "%a = foo %b\n" * 50_000 + "}\n",
    "undefined values": "entry @k() {\n" + "".join(f"%a{i} = absf %b{i} : tile<f32>\n" for i in range(20_000)) + "}\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_texts_are_refused(name: str) -> None:
    found = findings(HOSTILE[name])
    assert found, "nothing is wrong"
    assert all(d.code.startswith(("C", "IR")) for d in found), [str(d)[:200] for d in found[:3]]


def test_equal_debug_information_is_shared() -> None:
    """Places are read once, however often an alias names them: a call graph of 2 ** 25 paths costs 25 places."""
    aliases = doubling('#l0 = loc("a":1:1)\n', "#l{now} = loc(callsite(#l{before} at #l{before}))\n", 25)
    text = aliases + "entry @k() {\n%a = iota : tile<4xi32> loc(#l24)\n}\n"
    report = Report()
    found = parse(Source("shared.tileir", text), report)
    assert found is not None, [str(d) for d in report.diagnostics]
    verify(found, report)
    assert report.diagnostics == []
    assert print_module(found).count("callsite") == 24


def test_places_are_nested_in_any_order_and_in_place() -> None:
    """MLIR prints aliases behind their uses; what is nested without aliases is as deep."""
    chain = [f'#l{i} = loc("a{i}"(#l{i + 1}))\n' for i in range(4000)]
    entry = "entry @k() {\n%a = iota : tile<4xi32> loc(#l0)\n}\n"
    last = '#l4000 = loc("f":1:1)\n'
    assert findings(entry + "".join(chain) + last) == []
    assert findings(entry + last + "".join(reversed(chain))) == []
    assert findings("entry @k() {\n} loc(" + '"a"(' * 4000 + "unknown" + ")" * 4000 + ")\n") == []


def test_places_within_attributes_within_places() -> None:
    """Attributes are read on Python's stack, places are not: one within the other ends at the limit of attributes."""
    chain = "".join(f"#l{i} = loc(fused<#a{i}>[unknown])\n#a{i} = [#b{i}]\n#b{i} = #l{i + 1}\n" for i in range(4000))
    found = findings(f"entry @k() {{\n}} loc(#l0)\n{chain}#l4000 = loc(unknown)\n")
    assert {d.code for d in found} == {"C3"}, [str(d)[:200] for d in found[:3]]
