"""A roofline plot as SVG: speeds over operations a byte, both on logarithmic axes, under measured ceilings."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final
from xml.sax.saxutils import escape

from msgspec import Struct

_WIDTH: Final = 960
_HEIGHT: Final = 560
_MARGIN: Final = 70
_COLOURS: Final = {
    "f32": "#2a7f62",
    "f64": "#345995",
    "tf32": "#7fb069",
    "f16": "#c1553b",
    "bf16": "#b8860b",
    "i8": "#6b4e9b",
    "e4m3": "#3c91a8",
    "e5m2": "#a8447a",
}
_FONT: Final = "font-family='sans-serif' font-size='12'"


class Ceilings(Struct, frozen=True):
    """What a device can at most: GB/s of memory, and GFLOP/s by element type."""

    device: str
    gigabytes: float
    gigaflops: Mapping[str, float]

    def bytes_limit(self, operations_a_byte: float, element: str) -> float:
        """GB/s that work with so many operations a byte can have."""
        most = self.gigaflops.get(element, math.inf)
        return min(self.gigabytes, most / operations_a_byte) if operations_a_byte else self.gigabytes


class Point(Struct, frozen=True):
    """A kernel: what it does for each byte, and its GFLOP/s."""

    name: str
    element: str
    operations_a_byte: float
    gigaflops: float


class _Axis(Struct, frozen=True):
    """Powers of ten from `low` to `high` over so many pixels."""

    low: int
    high: int
    start: float
    end: float

    def at(self, value: float) -> float:
        """The pixel of a value, within the axis."""
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.start + min(max(share, 0.0), 1.0) * (self.end - self.start)


def roofline(title: str, ceilings: Ceilings, points: Sequence[Point]) -> str:
    """The plot: a slanted line for memory, a level one for each type's arithmetic, a dot with a tooltip a kernel."""
    intensities = [point.operations_a_byte for point in points] or [1.0]
    speeds = [point.gigaflops for point in points] + list(ceilings.gigaflops.values()) or [1.0]
    across = _axis(intensities, _MARGIN, _WIDTH - _MARGIN)
    up = _axis(speeds, _HEIGHT - _MARGIN, _MARGIN)
    lines = [
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{_WIDTH}' height='{_HEIGHT}' {_FONT}>",
        "<rect width='100%' height='100%' fill='white'/>",
        f"<text x='12' y='24' font-size='15' font-weight='bold'>{escape(title)}, {escape(ceilings.device)}</text>",
    ]
    lines += _grid(across, up)
    lines += _roofs(ceilings, across, up)
    for point in points:
        x, y = across.at(point.operations_a_byte), up.at(point.gigaflops)
        colour = _COLOURS.get(point.element, "black")
        told = f"{point.name}: {point.operations_a_byte:.3g} op/byte, {point.gigaflops:.4g} GFLOP/s"
        dot = f"<circle cx='{x:.1f}' cy='{y:.1f}' r='4' fill='{colour}' fill-opacity='0.7'>"
        lines.append(f"{dot}<title>{escape(told)}</title></circle>")
    return "\n".join([*lines, "</svg>"]) + "\n"


def _axis(values: Sequence[float], start: float, end: float) -> _Axis:
    low, high = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return _Axis(low, max(high, low + 1), start, end)


def _grid(across: _Axis, up: _Axis) -> list[str]:
    """A line for each power of ten, and what the axes are."""
    lines: list[str] = []
    for power in range(across.low, across.high + 1):
        x = f"{across.at(10.0**power):.1f}"
        lines.append(f"<line x1='{x}' x2='{x}' y1='{up.start}' y2='{up.end}' stroke='#ddd'/>")
        lines.append(f"<text x='{x}' y='{up.start + 18}' text-anchor='middle'>{10.0**power:g}</text>")
    for power in range(up.low, up.high + 1):
        y = f"{up.at(10.0**power):.1f}"
        lines.append(f"<line x1='{across.start}' x2='{across.end}' y1='{y}' y2='{y}' stroke='#ddd'/>")
        lines.append(f"<text x='{across.start - 6}' y='{y}' text-anchor='end'>{10.0**power:g}</text>")
    middle = (across.start + across.end) / 2
    lines.append(f"<text x='{middle}' y='{up.start + 40}' text-anchor='middle'>operations a byte</text>")
    lines.append(f"<text x='12' y='{up.end - 12}'>GFLOP/s</text>")
    return lines


def _roofs(ceilings: Ceilings, across: _Axis, up: _Axis) -> list[str]:
    """Memory up to the fastest arithmetic, and each type's arithmetic from where memory allows it."""
    fastest = max(ceilings.gigaflops.values(), default=10.0**up.high)
    left = max(10.0**across.low, 10.0**up.low / ceilings.gigabytes)
    right = min(10.0**across.high, fastest / ceilings.gigabytes)
    lines = [_line(across, up, (left, left * ceilings.gigabytes), (right, right * ceilings.gigabytes), "black")]
    lines.append(_label(across, up, (left, left * ceilings.gigabytes), f"copy {ceilings.gigabytes:.0f} GB/s", "black"))
    for element, rate in ceilings.gigaflops.items():
        colour = _COLOURS.get(element, "black")
        begin = min(max(rate / ceilings.gigabytes, 10.0**across.low), 10.0**across.high)
        lines.append(_line(across, up, (begin, rate), (10.0**across.high, rate), colour))
        lines.append(_label(across, up, (begin, rate), f"{element} {rate / 1e3:.3g} TFLOP/s", colour))
    return lines


def _line(across: _Axis, up: _Axis, start: tuple[float, float], end: tuple[float, float], colour: str) -> str:
    (x1, y1), (x2, y2) = ((across.at(x), up.at(y)) for x, y in (start, end))
    return f"<line x1='{x1:.1f}' y1='{y1:.1f}' x2='{x2:.1f}' y2='{y2:.1f}' stroke='{colour}' stroke-width='2'/>"


def _label(across: _Axis, up: _Axis, at: tuple[float, float], text: str, colour: str) -> str:
    return f"<text x='{across.at(at[0]) + 6:.1f}' y='{up.at(at[1]) - 6:.1f}' fill='{colour}'>{escape(text)}</text>"
