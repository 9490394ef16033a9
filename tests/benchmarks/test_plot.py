"""The benchmarks' charts: well-formed, to scale, and honest about what misses the bar."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

SVG = "{http://www.w3.org/2000/svg}"
REACHED, MISSED = "#2a7f62", "#c1553b"

Plot = Callable[..., Path]


@pytest.fixture(scope="module")
def plot(imported: Any) -> Plot:
    found: Plot = imported("plot").plot
    return found


def bars(path: Path) -> list[tuple[float, str]]:
    rectangles = ElementTree.parse(path).getroot().findall(f"{SVG}rect")[1:]
    return [(float(r.attrib["width"]), r.attrib["fill"]) for r in rectangles]


def test_bars_are_to_scale_and_coloured(plot: Plot, tmp_path: Path) -> None:
    path = plot(tmp_path / "a.svg", "<a> & b", [("x < y", 2.0), ("z", 1.0)], 1.5, "x")
    (long, first), (short, second) = bars(path)
    assert abs(long - 2 * short) < 0.2
    assert (first, second) == (REACHED, MISSED)


def test_lower_is_better(plot: Plot, tmp_path: Path) -> None:
    path = plot(tmp_path / "a.png", "times", [("x", 2.0), ("z", 1.0)], 1.5, "ms", lower_is_better=True)
    assert path.suffix == ".svg"
    assert [colour for _, colour in bars(path)] == [MISSED, REACHED]


def test_no_rows(plot: Plot, tmp_path: Path) -> None:
    assert bars(plot(tmp_path / "a.svg", "nothing", [], 1.0, "x")) == []
