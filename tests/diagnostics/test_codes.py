"""Every code that the sources use has an explanation, and rendering shows ranges exactly."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tilewright.diagnostics import Report, Source, SourceRange
from tilewright.diagnostics.codes import CODES, explain
from tilewright.diagnostics.render import render_github, render_json, render_sarif, render_text

SOURCES = Path(__file__).parents[2] / "src" / "tilewright"
CODE = re.compile(r'"((?:V|IR|L|T|R)[0-9]{1,3})"')


def test_every_code_in_the_sources_is_explained() -> None:
    used = {code for path in SOURCES.rglob("*.py") for code in CODE.findall(path.read_text(encoding="utf-8"))}
    assert used <= set(CODES), sorted(used - set(CODES))
    assert all(explain(code) for code in CODES)
    assert explain("V99") is None


def example() -> Report:
    source = Source("a.tl", "line one\n\tfoo \x1b[31mbar\nthird")
    report = Report()
    start = source.text.index("foo")
    report.error("V1", SourceRange(source, start, start + 3), "bad foo").label(
        SourceRange(source, 0, 4), "defined here"
    ).hint("write bar").fix(SourceRange(source, start, start + 3), "bar", "replace it")
    return report


def test_text_has_carets_under_the_range_and_no_control_characters() -> None:
    text = render_text(example().diagnostics)
    lines = text.splitlines()
    assert lines[0] == "a.tl:2:2: error[V1]: bad foo"
    assert lines[1] == "    2 |     foo \\x1b[31mbar"
    assert lines[2] == "      |     ^^^"
    assert "a.tl:1:1: defined here" in text
    assert "\x1b" not in text


def test_json_and_sarif_name_the_range() -> None:
    [found] = json.loads(render_json(example().diagnostics))
    assert found["range"] == {"file": "a.tl", "line": 2, "column": 2, "endLine": 2, "endColumn": 5}
    log = json.loads(render_sarif(example().diagnostics))
    assert log["version"] == "2.1.0"
    region = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]
    assert region == {"startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 5}
    assert render_github(example().diagnostics) == "::error file=a.tl,line=2,col=2::[V1] bad foo"


def test_wide_characters_take_two_columns() -> None:
    source = Source("b.tl", "漢字 x")
    report = Report()
    report.error("V1", SourceRange(source, 3, 4), "here")
    assert render_text(report.diagnostics).splitlines()[2] == "      |      ^"
