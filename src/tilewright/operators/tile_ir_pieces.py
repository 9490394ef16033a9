"""Pieces of Tile IR that take several lines: reductions of rows, tiles of one number, columns over a tile."""

from __future__ import annotations


def reduced(name: str, value: str, how: str, start: str, shape: tuple[int, int]) -> str:
    """The lines of a tile of f32 combined along its rows."""
    whole, line = f"tile<{shape[0]}x{shape[1]}xf32>", f"tile<{shape[0]}xf32>"
    return f"""%{name} = reduce %{value} dim=1 identities=[{start} : f32] : {whole} -> {line}
(%{name}x: tile<f32>, %{name}y: tile<f32>) {{
  %{name}z = {how} %{name}x, %{name}y : tile<f32>
  yield %{name}z : tile<f32>
}}"""


def across(name: str, value: str, rows: int, width: int) -> str:
    """A number of f32 for each row, all along it."""
    line, column, wide = f"tile<{rows}xf32>", f"tile<{rows}x1xf32>", f"tile<{rows}x{width}xf32>"
    return f"%{name}c = reshape %{value} : {line} -> {column}\n%{name} = broadcast %{name}c : {column} -> {wide}"


def spread(name: str, value: str, type_: str, rank: int, element: str = "f32") -> str:
    """A number as a tile."""
    one = f"tile<{'1x' * rank}{element}>"
    return f"%{name}1 = reshape %{value} : tile<{element}> -> {one}\n%{name} = broadcast %{name}1 : {one} -> {type_}"
