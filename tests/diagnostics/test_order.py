"""Diagnostics of a file come in the order of its lines, whether reader, preprocessor or verifier found them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import tilewright as tw
from tilewright.cli.main import cli
from tilewright.diagnostics import UNKNOWN, Report, Source, SourceRange

# Each of these lines is wrong; rules (1, 3, 4, 12), reader (5, 6, 9, 13, 15) and preprocessor (10) take turns.
WRONG = """func @f(%x: memref<boolx4>, %y: memref<f32x4>) {
    %one = constant 1.0 : f32
    axpby %one, %y, %one, %x
    %c = constant 300 : i8
    %d = add %nothing, %one : f32
    %e = frobnicate %one : f32
}
func @g(%y: memref<f32x4>) {
    $n = !calc 1 0 / ;
    %z = constant $m : i32
    %i = constant 9 : index
    %v = load %y[%i] : f32
    %w = load %y[%j] : f32
}
func @g() {}
"""
LINES = [1, 3, 3, 4, 5, 6, 9, 10, 12, 13, 15]


def check(form: str, *files: Path) -> str:
    return CliRunner().invoke(cli, ["check", f"--format={form}", *map(str, files)]).stdout


def lines_of(form: str, text: str) -> list[int]:
    found: Any
    match form:
        case "json":
            found = [d["range"]["line"] for d in json.loads(text)]
        case "sarif":
            results = json.loads(text)["runs"][0]["results"]
            found = [r["locations"][0]["physicalLocation"]["region"]["startLine"] for r in results]
        case "github":
            found = map(int, re.findall(r"^::error file=[^,]*,line=(\d+)", text, re.MULTILINE))
        case _:
            found = map(int, re.findall(r"^[^:\n]*:(\d+):\d+: error", text, re.MULTILINE))
    return list(found)


@pytest.mark.parametrize("form", ["text", "json", "sarif", "github"])
def test_lines_come_in_order_in_every_format(form: str, tmp_path: Path) -> None:
    first, second = tmp_path / "z.tl", tmp_path / "a.tl"
    first.write_text(WRONG)
    second.write_text("\n" + WRONG)
    assert lines_of(form, check(form, first)) == LINES
    assert lines_of(form, check(form, first, second)) == LINES + [line + 1 for line in LINES]


def test_python_sees_the_same_order() -> None:
    with pytest.raises(tw.CompileError) as caught:
        tw.compile(WRONG)
    places = [d.location.primary for d in caught.value.diagnostics]
    assert [place and place.source.position(place.start)[0] for place in places] == LINES


def test_findings_at_one_place_stay_as_they_were_found() -> None:
    source, report = Source("a.tl", "one two three"), Report()
    for code, location in (
        ("V1", SourceRange(source, 8, 13)),
        ("V2", SourceRange(source, 4, 7)),
        ("V3", SourceRange(source, 4, 5)),
        ("V4", SourceRange(source, 4, 13)),
        ("V5", UNKNOWN),
    ):
        report.error(code, location, "wrong")
    assert [d.code for d in report.in_order] == ["V5", "V2", "V3", "V4", "V1"]
