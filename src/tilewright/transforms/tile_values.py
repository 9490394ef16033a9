"""Types and layouts of values that are tiles."""

from __future__ import annotations

from tilewright.ir.core import Value
from tilewright.ir.layouts import Layout
from tilewright.ir.types import TileType


def tile_type(value: Value) -> TileType:
    """The type of a tile."""
    assert isinstance(value.type, TileType)
    return value.type


def layout_of(value: Value) -> Layout:
    """The layout of a tile on the gpu level."""
    layout = tile_type(value).layout
    assert layout is not None, "assign-layouts gives all tiles of the kernel a layout"
    return layout
