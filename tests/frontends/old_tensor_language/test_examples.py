"""Every rule: the example is upgraded to what a person would write, and both texts are one program."""

from __future__ import annotations

import pytest

from tilewright.diagnostics import Report, Source
from tilewright.diagnostics.codes import CODES, explain
from tilewright.frontends.standard import Standard, detect
from tilewright.frontends.tensor_language import parse as parse_new
from tilewright.frontends.tensor_language import print_module
from tilewright.frontends.tensor_language.rules import verify_language as verify_new

from .examples import EXAMPLES, Example
from .migration import PAGE, page
from .reading import read, upgraded


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"rule-{e.rule}")
def test_the_example_is_upgraded_as_written(example: Example) -> None:
    assert upgraded(example.before) == example.after


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: f"rule-{e.rule}")
def test_the_new_text_is_clean_and_new(example: Example) -> None:
    report = Report()
    source = Source("new.tl", example.after)
    module = parse_new(source, report)
    verify_new(module, report)
    assert not report.diagnostics, [str(d) for d in report.diagnostics]
    assert detect(source) is Standard.NEW
    assert print_module(module)


def test_every_rule_has_an_example() -> None:
    assert [e.rule for e in EXAMPLES] == list(range(1, 28))


def test_the_page_is_up_to_date() -> None:
    wanted = "run: cd tests && python -m frontends.old_tensor_language.migration"
    assert PAGE.read_text(encoding="utf-8") == page(), wanted


@pytest.mark.parametrize("number", range(1, 10))
def test_the_pages_of_the_codes_are_right(number: int) -> None:
    text = explain(f"U{number}") or ""
    assert text.startswith(f"U{number}: {CODES[f'U{number}']}")
    wrong, right = (_example(text, heading) for heading in ("Wrong:", "Right:"))
    assert {d.code for d in read(wrong)[1]} == {f"U{number}"}
    assert not read(right)[1]
    for example in (wrong, right):
        assert detect(Source("x", example)) is Standard.OLD or number in (2, 8)


def _example(page: str, heading: str) -> str:
    lines = page.partition(heading)[2].splitlines()[2:]
    body: list[str] = []
    for line in lines:
        if line and not line.startswith("    "):
            break
        body.append(line)
    return "\n".join(body)
