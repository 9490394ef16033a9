"""Diagnostics for programs: JSON, SARIF 2.1.0 and GitHub annotations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from urllib.parse import quote

from tilewright.diagnostics.codes import CODES, explain
from tilewright.diagnostics.diagnostic import Diagnostic, Fix
from tilewright.diagnostics.source import Location


def _span(location: Location) -> dict[str, object] | None:
    place = location.primary
    if place is None:
        return None
    line, column = place.source.position(place.start)
    end_line, end_column = place.source.position(place.end)
    span: dict[str, object] = {"file": place.source.name, "line": line, "column": column}
    span |= {"endLine": end_line, "endColumn": end_column}
    byte = place.source.byte(place.start)
    # lines and columns of bytes are those of the dump that people are shown
    return span if byte is None else span | {"byte": byte}


def render_json(diagnostics: Sequence[Diagnostic]) -> str:
    """A list with severity, code, message, range, labels, hints and fixes of each."""
    return json.dumps(
        [
            {
                "severity": d.severity.value,
                "code": d.code,
                "message": d.message,
                "range": _span(d.location),
                "labels": [{"range": _span(label.location), "message": label.message} for label in d.labels],
                "hints": d.hints,
                "fixes": [
                    {"range": _span(f.location), "replacement": f.replacement, "message": f.message} for f in d.fixes
                ],
            }
            for d in diagnostics
        ],
        indent=2,
    )


def _physical(location: Location) -> dict[str, object] | None:
    place = location.primary
    if place is None:
        return None
    artifact = {"uri": quote(place.source.name, errors="surrogateescape")}
    return {"artifactLocation": artifact, "region": _region(location)}


def _region(location: Location) -> dict[str, int]:
    """Lines and columns from 1; the end is the first character behind the range. Bytes are counted from 0."""
    place = location.primary
    assert place is not None
    byte = place.source.byte(place.start)
    if byte is not None:
        last = place.source.byte(max(place.start, place.end - 1))
        return {"byteOffset": byte, "byteLength": 1 if last is None else last - byte + 1}
    line, column = place.source.position(place.start)
    end_line, end_column = place.source.position(place.end)
    return {"startLine": line, "startColumn": column, "endLine": end_line, "endColumn": end_column}


def _change(fix: Fix) -> dict[str, object] | None:
    place = fix.location.primary
    if place is None:
        return None
    replacement = {"deletedRegion": _region(fix.location), "insertedContent": {"text": fix.replacement}}
    change = {
        "artifactLocation": {"uri": quote(place.source.name, errors="surrogateescape")},
        "replacements": [replacement],
    }
    return {"description": {"text": fix.message}, "artifactChanges": [change]}


def _result(d: Diagnostic, rules: Sequence[str]) -> dict[str, object]:
    place = _physical(d.location)
    related = [(_physical(label.location), label.message) for label in d.labels]
    fixes = [change for fix in d.fixes if (change := _change(fix)) is not None]
    found: dict[str, object] = {
        "ruleId": d.code,
        "ruleIndex": rules.index(d.code),
        "level": d.severity.value,
        "message": {"text": "\n".join([d.message, *d.hints])},
        "locations": [] if place is None else [{"physicalLocation": place}],
        "relatedLocations": [
            {"id": k, "physicalLocation": where, "message": {"text": message}}
            for k, (where, message) in enumerate(related)
            if where is not None
        ],
    }
    return found | ({"fixes": fixes} if fixes else {})


def render_sarif(diagnostics: Sequence[Diagnostic]) -> str:
    """SARIF 2.1.0, as code hosting sites take it."""
    from tilewright.version import __version__

    codes = sorted({d.code for d in diagnostics})
    rules = [
        {"id": code, "shortDescription": {"text": CODES.get(code, code)}, "help": {"text": explain(code) or code}}
        for code in codes
    ]
    run = {
        "tool": {"driver": {"name": "tilewright", "version": __version__, "rules": rules}},
        "results": [_result(d, codes) for d in diagnostics],
        "columnKind": "unicodeCodePoints",
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2)


def render_github(diagnostics: Sequence[Diagnostic]) -> str:
    """Workflow commands that annotate files in a pull request."""
    return "\n".join(f"::{d.severity.value}{_properties(d.location)}::{_data(_annotation(d))}" for d in diagnostics)


def _annotation(d: Diagnostic) -> str:
    place = d.location.primary
    byte = None if place is None else place.source.byte(place.start)
    where = "" if byte is None else f"byte {byte} (0x{byte:x}): "
    return "\n".join([f"[{d.code}] {where}{d.message}", *d.hints])


def _properties(location: Location) -> str:
    span = _span(location)
    if span is None:
        return ""
    # Columns are taken only for ranges within one line.
    names = {"file": "file", "line": "line", "endLine": "endLine"}
    if span["line"] == span["endLine"]:
        names |= {"column": "col", "endColumn": "endColumn"}
    return " " + ",".join(f"{to}={_property(str(span[key]))}" for key, to in names.items())


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
