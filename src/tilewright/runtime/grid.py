"""How many work-groups a launch has along up to three modes."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, SupportsIndex, TypeAlias, cast

from tilewright.runtime.errors import LaunchError, LaunchTypeError

__all__ = ["Extents", "Grid", "grid_extents"]

Grid: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
Extents: TypeAlias = tuple[int, int, int]

_MAX_EXTENT: Final = (1 << 31) - 1
_MAX_GROUPS: Final = 1 << 62


def grid_extents(grid: object, most: int | None = None) -> Extents:
    """A `Grid` of one to three extents as three; none is above `most`, the limit of a kernel. Raises `LaunchError`."""
    given = cast("Sequence[object]", grid) if isinstance(grid, tuple | list) else (grid,)
    if not 1 <= len(given) <= 3:
        raise LaunchError(f"a grid has one to three extents, not {len(given)}")
    x, y, z = (*map(_extent, given), 1, 1)[:3]
    if most is not None and max(x, y, z) > most:
        raise LaunchError(f"the grid {x}x{y}x{z} has more than {most:,} work-groups along a mode, the kernel's limit")
    if x * y * z >= _MAX_GROUPS:
        raise LaunchError(f"the grid {x}x{y}x{z} has 2^62 work-groups or more")
    return x, y, z


def _extent(entry: object) -> int:
    extent = entry if type(entry) is int else _integer(entry)
    if not 0 <= extent <= _MAX_EXTENT:
        raise LaunchError(f"grid extent {extent} is not in 0 .. 2^31-1")
    return extent


def _integer(entry: object) -> int:
    if isinstance(entry, SupportsIndex) and not isinstance(entry, bool):
        with suppress(TypeError):  # arrays support it in general, those of several elements or of floats do not
            return operator.index(entry)
    raise LaunchTypeError(f"a grid is an integer or up to three, not {type(entry).__name__}")
