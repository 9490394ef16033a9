"""The pages on the tensor language: every instruction has its entry, what is generated is up to date, examples hold."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import tilewright as tw
from tilewright.diagnostics import Report, Severity, Source
from tilewright.diagnostics.codes import CODES
from tilewright.frontends.tensor_language import parse, print_module
from tilewright.frontends.tensor_language.instructions_legacy import INSTRUCTIONS as OLD_SPELLINGS
from tilewright.frontends.tensor_language.manual import Example, definitions, entries, examples, with_facts
from tilewright.frontends.tensor_language.parser import INSTRUCTIONS
from tilewright.frontends.tensor_language.rules import verify_language
from tilewright.frontends.tensor_language.vocabulary import ALL_MODIFIERS, ATTRIBUTE_NAMES
from tilewright.ir.printer import print_op
from tilewright.ir.types import SCALARS, promotable

_FOLDER: Final = Path(__file__).parents[2] / "docs" / "language"
_PAGES: Final = {path.name: path.read_text(encoding="utf-8") for path in sorted(_FOLDER.glob("*.md"))}
_INSTRUCTIONS: Final = _PAGES["instructions.md"]
_REFERENCE: Final = _PAGES["tensor-language.md"]
_EXAMPLES: Final = [
    pytest.param(example, id=f"{name}:{example.line}") for name, page in _PAGES.items() for example in examples(page)
]
_KERNELS: Final = [p for p in _EXAMPLES if isinstance(e := p.values[0], Example) and e.language == "tl"]
_RUNS: Final = [p for p in _EXAMPLES if isinstance(e := p.values[0], Example) and e.language == "python"]


def test_every_instruction_has_one_entry() -> None:
    described = Counter(mnemonic for entry in entries(_INSTRUCTIONS) for mnemonic in entry.mnemonics)
    assert described.keys() == INSTRUCTIONS.keys() - OLD_SPELLINGS.keys()
    assert set(described.values()) == {1}


def test_every_entry_uses_its_instructions_in_an_example_and_runs_it() -> None:
    for entry in entries(_INSTRUCTIONS):
        assert all(definitions(entry).values()), entry.mnemonics
        assert any(example.language == "python" for example in examples(entry.text)), entry.mnemonics


def test_the_facts_are_up_to_date() -> None:
    assert with_facts(_INSTRUCTIONS) == _INSTRUCTIONS, "run: python -m tilewright.frontends.tensor_language.manual"


def test_facts_are_written_once() -> None:
    page = "# Page\n\n### `neg`\n\nText.\n\n```tl\nfunc @f(%x: f32) {\n    %y = neg %x : f32\n}\n```\n\n## End\n"
    once = with_facts(page)
    assert "| `neg` | both | exactly one |" in once
    assert once.startswith("# Page\n\n### `neg`\n\n<!-- facts")
    assert once.endswith(page[page.index("Text.") :])
    assert with_facts(once) == once


def test_the_grammar_has_every_word() -> None:
    words = set(re.findall(r'"([^"]+)"', _REFERENCE[_REFERENCE.index("## Grammar") : _REFERENCE.index("## Types")]))
    assert words >= {*ALL_MODIFIERS, *ATTRIBUTE_NAMES, *SCALARS}
    for mnemonic in INSTRUCTIONS.keys() - OLD_SPELLINGS.keys():
        composed = any(mnemonic.startswith(w) and mnemonic.removeprefix(w) in words for w in words)
        assert mnemonic in words or composed, mnemonic


def test_the_table_of_promotion() -> None:
    section = _REFERENCE[_REFERENCE.index("### Promotion") : _REFERENCE.index("### Layout")]
    numbers = {name: t for name, t in SCALARS.items() if t.is_number}
    stated: dict[str, set[str]] = {}
    for left, right in re.findall(r"^\| (`.*?) \| (.*) \|$", section, re.MULTILINE):
        for name in re.findall(r"`(\w+)`", left):
            every = numbers if right == "any number type" else re.findall(r"`(\w+)`", right)
            stated[name] = {*every, *([name] if right.startswith("itself") else [])}
    assert stated == {a: {b for b in numbers if promotable(numbers[a], numbers[b])} for a in numbers}


def _findings(text: str) -> tuple[set[str], set[str]]:
    """Codes of errors and of warnings."""
    report = Report()
    module = parse(Source("example.tl", text), report)
    verify_language(module, report)
    errors = {d.code for d in report.diagnostics if d.severity is Severity.ERROR}
    return errors, {d.code for d in report.diagnostics if d.severity is Severity.WARNING}


@pytest.mark.parametrize("example", _KERNELS)
def test_kernels_give_the_diagnostics_that_are_stated(example: Example) -> None:
    assert _findings(example.text) == (set(example.refused), set(example.warned))
    assert CODES.keys() >= {*example.refused, *example.warned}


@pytest.mark.parametrize("example", _KERNELS)
def test_correct_kernels_print_and_read_back(example: Example) -> None:
    if example.refused:
        return
    module = parse(Source("example.tl", example.text), Report())
    printed = print_module(module)
    again = parse(Source("printed.tl", printed), Report())
    assert print_op(again) == print_op(module)


@pytest.mark.parametrize("target", ["interpreter", "cpu"])
@pytest.mark.parametrize("example", _RUNS)
def test_runs(example: Example, target: str) -> None:
    with tw.config(cache="off"):
        names = {"np": np, "tw": tw, "text": example.kernel, "kernels": tw.compile(example.kernel, target=target)}
        exec(compile(example.text, f"<line {example.line}>", "exec"), names)
