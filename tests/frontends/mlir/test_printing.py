"""What is read in any form is printed in the generic one, which is a fixpoint, and which the stock tool takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

from frontends.mlir.forms import PRINTED, PROGRAMS, options, parts_of
from frontends.mlir.reading import read, reprinted
from ir.mlir import tool


@pytest.mark.parametrize("path", [*PROGRAMS, *PRINTED], ids=lambda p: p.stem)
def test_printing_is_a_fixpoint(path: Path) -> None:
    text = _ours(path)
    assert reprinted(text) == text


@cache
def _ours(path: Path) -> str:
    return reprinted(path.read_text())


@pytest.mark.parametrize("name", [p.stem for p in PROGRAMS])
def test_the_custom_form_says_what_the_generic_one_does(name: str) -> None:
    """The same operations, types and properties; those that only say what is the default are not compared."""
    folder = PRINTED[0].parent
    pretty, generic = (read((folder / f"{name}.{form}.mlir").read_text()).module for form in ("pretty", "generic"))
    assert [op.name for op in pretty.walk()] == [op.name for op in generic.walk()]
    for ours, theirs in zip(pretty.walk(), generic.walk(), strict=True):
        assert [o.type for o in ours.operands] == [o.type for o in theirs.operands]
        assert [r.type for r in ours.results] == [r.type for r in theirs.results]
        for key, value in ours.attributes.items():
            assert str(theirs.attributes[key]) == str(value)


@tool.same_version_needed
@pytest.mark.parametrize("path", PRINTED, ids=lambda p: p.stem)
def test_the_tool_prints_the_programs_so(path: Path) -> None:
    name, form = parts_of(path)
    assert _in_form(form)(_source(name)) == path.read_text()


@cache
def _in_form(form: str) -> Callable[[str], str]:
    """What the tool prints of each program in a form; locations would be others among other programs."""
    names = [name for name, other in map(parts_of, PRINTED) if other == form != "located"]
    return tool.printed_together(map(_source, names), *options(form))


def _source(name: str) -> str:
    return (PROGRAMS[0].parent / f"{name}.mlir").read_text()


@pytest.fixture(scope="module")
def tools() -> Callable[[str], str]:
    """What the tool prints of printed programs, its own and ours."""
    return tool.reprinted_together([text for path in PRINTED for text in (path.read_text(), _ours(path))])


@tool.needed
@pytest.mark.parametrize("path", PRINTED, ids=lambda p: p.stem)
def test_the_tool_reads_what_we_print(path: Path, tools: Callable[[str], str]) -> None:
    assert tools(_ours(path)) == tools(path.read_text())
