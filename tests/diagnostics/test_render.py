"""Diagnostics as text and for programs: ranges are exact whatever stands in the line."""

from __future__ import annotations

import json
import random

from tilewright.diagnostics import UNKNOWN, Report, Source, SourceRange
from tilewright.diagnostics.binary import Binary, ByteRange
from tilewright.diagnostics.machine_formats import render_github, render_json, render_sarif
from tilewright.diagnostics.render import render_text


def at(source: Source, word: str) -> SourceRange:
    start = source.text.index(word)
    return SourceRange(source, start, start + len(word))


def shown(text: str, word: str) -> list[str]:
    report = Report()
    report.error("V1", at(Source("a.tl", text), word), "wrong")
    return render_text(report.diagnostics).splitlines()


def example() -> Report:
    source = Source("a.tl", "line one\n\tfoo \x1b[31mbar\nthird")
    report = Report()
    report.error("V1", at(source, "foo"), "bad foo").label(at(source, "line"), "defined here").hint("write bar").fix(
        at(source, "foo"), "bar", "replace it"
    )
    return report


def test_text() -> None:
    assert render_text(example().diagnostics).splitlines() == [
        "a.tl:2:2: error[V1]: bad foo",
        "    2 |     foo \\x1b[31mbar",
        "      |     ^^^",
        "  a.tl:1:1: defined here",
        "    1 | line one",
        "      | ----",
        "  hint: write bar",
        "  fix: replace it: `bar`",
    ]


def test_labels_in_the_same_line_share_it() -> None:
    source = Source("a.tl", "gemm %a, %b, %c")
    report = Report()
    report.warning("V42", at(source, "%b"), "overlap").label(at(source, "%c"), "written here")
    assert render_text(report.diagnostics).splitlines() == [
        "a.tl:1:10: warning[V42]: overlap",
        "    1 | gemm %a, %b, %c",
        "      |          ^^",
        "      |              -- written here",
    ]


def test_tabs_wide_and_combining_characters() -> None:
    assert shown("\t\tx y", "y")[1:] == ["    1 |         x y", "      |           ^"]
    assert shown("漢字 x", "x")[2] == "      |      ^"
    assert shown("漢字 x", "字")[2] == "      |   ^^"
    assert shown("e\u0301 x", "x")[2] == "      |   ^"


def test_control_characters_are_visible_and_harmless() -> None:
    text = "\n".join(shown("\x1b[2J \x07\u202e x", "x"))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "\u202e" not in text
    lines = text.splitlines()
    assert lines[1][lines[2].index("^")] == "x"


def test_long_lines_are_cut_around_the_range() -> None:
    for prefix, suffix in ((0, 1000), (1000, 0), (500, 500), (1000, 30)):
        lines = shown("a" * prefix + "XYZ" + "b" * suffix, "XYZ")
        assert len(lines[1]) < 140
        column = lines[2].index("^")
        assert lines[1][column : column + 3] == "XYZ"
        assert lines[2].count("^") == 3


def test_ranges_over_several_lines_say_where_they_end() -> None:
    assert shown("if %b {\n  store\n}", "{\n  store\n}")[2] == "      |       ^ to line 3"


def test_empty_ranges_and_the_end_of_the_text_mark_one_column() -> None:
    source = Source("a.tl", "ab\r\n")
    report = Report()
    report.error("V1", SourceRange(source, 2, 2), "here")
    report.error("V1", SourceRange(source, 4, 4), "at the end")
    assert render_text(report.diagnostics).splitlines() == [
        "a.tl:1:3: error[V1]: here",
        "    1 | ab",
        "      |   ^",
        "a.tl:2:1: error[V1]: at the end",
        "    2 | ",
        "      | ^",
    ]


def test_without_a_place_there_is_no_excerpt() -> None:
    report = Report()
    report.error("R010", UNKNOWN, "somewhere")
    assert render_text(report.diagnostics) == "error[R010]: somewhere"
    assert json.loads(render_json(report.diagnostics))[0]["range"] is None
    assert json.loads(render_sarif(report.diagnostics))["runs"][0]["results"][0]["locations"] == []
    assert render_github(report.diagnostics) == "::error::[R010] somewhere"


def test_colour_changes_nothing_but_colour() -> None:
    plain = render_text(example().diagnostics)
    coloured = render_text(example().diagnostics, color=True)
    for code in ("\x1b[1;31m", "\x1b[1;34m", "\x1b[1m", "\x1b[0m"):
        assert code in coloured
        coloured = coloured.replace(code, "")
    assert coloured == plain


def test_json() -> None:
    [found] = json.loads(render_json(example().diagnostics))
    assert found == {
        "severity": "error",
        "code": "V1",
        "message": "bad foo",
        "range": {"file": "a.tl", "line": 2, "column": 2, "endLine": 2, "endColumn": 5},
        "labels": [
            {
                "range": {"file": "a.tl", "line": 1, "column": 1, "endLine": 1, "endColumn": 5},
                "message": "defined here",
            }
        ],
        "hints": ["write bar"],
        "fixes": [
            {
                "range": {"file": "a.tl", "line": 2, "column": 2, "endLine": 2, "endColumn": 5},
                "replacement": "bar",
                "message": "replace it",
            }
        ],
    }


def test_sarif() -> None:
    log = json.loads(render_sarif(example().diagnostics))
    assert log["version"] == "2.1.0"
    [run] = log["runs"]
    [rule], [result] = run["tool"]["driver"]["rules"], run["results"]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("V1", "syntax")
    assert (result["ruleId"], result["ruleIndex"], result["level"]) == ("V1", 0, "error")
    region = {"startLine": 2, "startColumn": 2, "endLine": 2, "endColumn": 5}
    [location], [related] = result["locations"], result["relatedLocations"]
    assert location["physicalLocation"] == {"artifactLocation": {"uri": "a.tl"}, "region": region}
    assert related["message"] == {"text": "defined here"}
    [change] = result["fixes"][0]["artifactChanges"]
    assert change["replacements"] == [{"deletedRegion": region, "insertedContent": {"text": "bar"}}]


def test_sarif_addresses_are_addresses() -> None:
    report = Report()
    report.error("V1", SourceRange(Source("a b%<\udc80>.tl", "x"), 0, 1), "m")
    [result] = json.loads(render_sarif(report.diagnostics))["runs"][0]["results"]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "a%20b%25%3C%80%3E.tl"


def test_github() -> None:
    place = "file=a.tl,line=2,endLine=2,col=2,endColumn=5"
    assert render_github(example().diagnostics) == f"::error {place}::[V1] bad foo%0Awrite bar"
    report = Report()
    report.warning("V1", SourceRange(Source("a,b:c.tl", "x\ny"), 0, 3), "100 %")
    assert render_github(report.diagnostics) == "::warning file=a%2Cb%3Ac.tl,line=1,endLine=2::[V1] 100 %25"


def test_any_range_of_any_text_can_be_shown() -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    draw = random.Random(seed)
    for _ in range(300):
        text = "".join(draw.choice("ab \t\n\r漢\u0301\x00\x1b\ud800") for _ in range(draw.randrange(200)))
        source = Source("a.tl", text)
        ranges = [sorted((draw.randrange(len(text) + 1), draw.randrange(len(text) + 1))) for _ in range(3)]
        report = Report()
        found = report.error("V1", SourceRange(source, *ranges[0]), "m")
        for start, end in ranges[1:]:
            found.label(SourceRange(source, start, end), "label")
        lines = render_text(report.diagnostics).splitlines()
        assert sum("^" in line for line in lines) == 1, seed
        assert all(line.isprintable() for line in lines), seed
        assert json.loads(render_json(report.diagnostics))
        assert json.loads(render_sarif(report.diagnostics))


def test_warnings_leave_room_for_errors() -> None:
    report = Report(limit=3)
    for index in range(5):
        report.warning("V42", UNKNOWN, f"warning {index}")
    for index in range(4):
        report.error("V1", UNKNOWN, f"error {index}")
    whole = Report(limit=4)
    whole.take(report)
    for found in (report, whole):
        assert [d.message for d in found.diagnostics] == [f"warning {k}" for k in range(3)] + [
            f"error {k}" for k in range(3)
        ]
        assert (found.errors, found.suppressed) == (4, 3)


def test_lines_end_in_front_of_carriage_returns() -> None:
    assert shown("one\r\ntwo x\r\n", "x")[1:] == ["    2 | two x", "      |     ^"]


def test_ranges_are_joined_from_end_to_end() -> None:
    source = Source("a.tl", "one two three")
    first, last = at(source, "one"), at(source, "two")
    for joined in (first.to(last), last.to(first)):
        assert (joined.start, joined.end) == (0, 7)
        assert str(joined) == "a.tl:1:1-7"
    assert first.to(at(Source("b.tl", "x"), "x")) == first


def test_bytes_are_found_in_their_dump() -> None:
    data = bytes(range(100))
    dump = Binary("k.tilebc", data).dump
    for offset in (0, 1, 15, 16, 17, 50, 99):
        [place] = ByteRange(Binary("k.tilebc", data), offset, offset + 1).ranges()
        assert dump.text[place.start : place.end] == f"{offset:02x}"
        assert dump.byte(place.start) == offset
