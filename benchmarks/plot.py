"""Bar charts of ratios for the benchmarks, as SVG that every browser shows; needs no plotting library.

plot(Path("ratios.svg"), "GEMM against libxsmm", [("16x16x16 f32", 1.31), ..], bar=1.1, unit="x")
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final
from xml.sax.saxutils import escape

Row = tuple[str, float]

_BAR: Final = 18
_GAP: Final = 8
_TOP: Final = 56
_CHART: Final = 460
_VALUE: Final = 110
_CHARACTER: Final = 7.0
_REACHED: Final = "#2a7f62"
_MISSED: Final = "#c1553b"
_FONT: Final = "font-family='sans-serif' font-size='13'"


def plot(path: Path, title: str, rows: Sequence[Row], bar: float, unit: str, *, lower_is_better: bool = False) -> Path:
    """Draw one horizontal bar a row, with the value that was asked for as a vertical line; where the file is.

    Bars that miss it are red. Whatever the path's suffix, the file is `.svg`.
    """
    path = path.with_suffix(".svg")
    path.write_text(svg(title, rows, bar, unit, lower_is_better=lower_is_better), encoding="utf-8")
    return path


def _colour(value: float, bar: float, lower_is_better: bool) -> str:
    return _REACHED if (value <= bar if lower_is_better else value >= bar) else _MISSED


def svg(title: str, rows: Sequence[Row], bar: float, unit: str, *, lower_is_better: bool = False) -> str:
    """The chart as SVG text."""
    labels = max((len(label) for label, _ in rows), default=0) * _CHARACTER + 16
    width = labels + _CHART + _VALUE
    bottom = _TOP + len(rows) * (_BAR + _GAP)
    largest = max([bar, *(value for _, value in rows)]) or 1.0

    def across(value: float) -> float:
        return labels + max(value, 0.0) / largest * _CHART

    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width:.0f}' height='{bottom + 16}' {_FONT}>",
        "<rect width='100%' height='100%' fill='white'/>",
        f"<text x='8' y='22' font-size='15' font-weight='bold'>{escape(title)}</text>",
    ]
    for index, (label, value) in enumerate(rows):
        top = _TOP + index * (_BAR + _GAP)
        text = top + _BAR - 5
        colour = _colour(value, bar, lower_is_better)
        lines += [
            f"<text x='{labels - 8:.0f}' y='{text}' text-anchor='end'>{escape(label)}</text>",
            f"<rect x='{labels:.0f}' y='{top}' width='{across(value) - labels:.1f}' height='{_BAR}' fill='{colour}'/>",
            f"<text x='{across(value) + 6:.1f}' y='{text}'>{value:.3g} {escape(unit)}</text>",
        ]
    at = f"{across(bar):.1f}"
    lines += [
        f"<line x1='{at}' x2='{at}' y1='{_TOP - 8}' y2='{bottom}' stroke='black' stroke-dasharray='5 3'/>",
        f"<text x='{at}' y='{_TOP - 12}' text-anchor='middle'>bar {bar:g} {escape(unit)}</text>",
        "</svg>",
    ]
    return "\n".join(lines) + "\n"
